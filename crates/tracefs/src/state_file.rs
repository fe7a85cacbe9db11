//! The state file: the settings that `--async_stop` must restore, written by `--async_start`.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::undo_log::Undo;
use crate::{Error, sys};

const FIRST_LINE: &str = "traceloom atrace state 1";

/// A state file, which need not exist.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// The file for the shared ring buffer or a trace instance.
    pub fn new(folder: &Path, instance: Option<&str>) -> Self {
        let name = match instance {
            None => "traceloom-atrace".to_owned(),
            Some(name) => format!("traceloom-atrace-instance-{name}"),
        };
        Self {
            path: folder.join(name),
        }
    }

    /// The default folder: one that is emptied by a reboot, or on Android the shell's folder.
    pub fn default_folder() -> PathBuf {
        let candidates = ["/data/local/tmp", "/run"].map(Path::new);
        let writable = candidates
            .into_iter()
            .find(|folder| sys::is_writable(folder));
        writable.unwrap_or(Path::new("/tmp")).to_path_buf()
    }

    /// The saved entries. Empty if the file does not exist, is from an earlier boot, or belongs to
    /// another user: root must not trust such a file in a shared folder.
    pub fn load(&self) -> Vec<Undo> {
        self.read_lines().unwrap_or_default()
    }

    fn read_lines(&self) -> Option<Vec<Undo>> {
        let mut options = OpenOptions::new();
        let options = options
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let mut file = options.open(&self.path).ok()?;
        let owner = file.metadata().ok()?.uid();
        if owner != sys::user() && owner != 0 {
            return None;
        }
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        let mut lines = text.lines();
        let head = [lines.next()?, lines.next()?];
        (head == [FIRST_LINE, &boot_id()]).then(|| lines.filter_map(Undo::decode).collect())
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`Error::State`] if it cannot be written.
    pub fn save(&self, undo: &[Undo]) -> Result<(), Error> {
        let lines = undo.iter().map(|entry| entry.encode() + "\n");
        let text = format!("{FIRST_LINE}\n{}\n{}", boot_id(), lines.collect::<String>());
        self.replace(&text).map_err(|source| Error::State {
            path: self.path.clone(),
            source,
        })
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        let mut new = self.path.clone().into_os_string();
        // No instance has this character in its name, so this is not the state of another one.
        new.push("~");
        let _ = fs::remove_file(&new);
        // Do not follow a link that another user may have created.
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    /// Removes the file.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn boot_id() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_boots_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile::new(folder.path(), Some("x"));
        assert_eq!(file.load(), []);
        let undo = [Undo::Instance("x".into())];
        file.save(&undo).unwrap();
        file.save(&undo).unwrap();
        assert_eq!(file.load(), undo);
        let text = fs::read_to_string(&file.path).unwrap();
        fs::write(&file.path, text.replace(&boot_id(), "another-boot")).unwrap();
        assert_eq!(file.load(), []);
        file.remove();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn instances_of_similar_names_keep_their_states() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["x", "x.new", "x.old"];
        let files = names.map(|name| StateFile::new(folder.path(), Some(name)));
        let undo = names.map(|name| [Undo::Instance(name.into())]);
        for (file, undo) in files.iter().zip(&undo).rev() {
            file.save(undo).unwrap();
        }
        for (file, undo) in files.iter().zip(&undo) {
            assert_eq!(file.load(), undo);
        }
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile::new(folder.path(), None);
        file.save(&[Undo::Instance("x".into())]).unwrap();
        let real = folder.path().join("real");
        fs::rename(&file.path, &real).unwrap();
        std::os::unix::fs::symlink(&real, &file.path).unwrap();
        assert_eq!(file.load(), []);
    }
}
