//! The state file: what `--async_stop` has to put back, written by `--async_start`.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::undo::Undo;
use crate::{Error, sys};

const FIRST_LINE: &str = "traceloom atrace state 1";

/// A state file, which need not exist.
#[derive(Clone, Debug)]
pub struct File {
    path: PathBuf,
}

impl File {
    /// The file of the recording in the global buffer, or in an instance.
    pub fn of(folder: &Path, instance: Option<&str>) -> Self {
        let name = match instance {
            None => "traceloom-atrace".to_owned(),
            Some(name) => format!("traceloom-atrace-instance-{name}"),
        };
        Self {
            path: folder.join(name),
        }
    }

    /// Where state files are when nobody says otherwise: a folder that a reboot empties, or the
    /// shell's own on Android.
    pub fn default_folder() -> PathBuf {
        let candidates = ["/data/local/tmp", "/run"].map(Path::new);
        let usable = candidates
            .into_iter()
            .find(|folder| sys::access(folder, libc::W_OK));
        usable.unwrap_or(Path::new("/tmp")).to_path_buf()
    }

    /// What it says. Nothing where there is none, where it is of an earlier boot, or where somebody
    /// else wrote it: root must not do what a file in a shared folder says.
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

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, undo: &[Undo]) -> Result<(), Error> {
        let lines = undo.iter().map(|entry| entry.encode() + "\n");
        let text = format!("{FIRST_LINE}\n{}\n{}", boot_id(), lines.collect::<String>());
        self.replace(&text).map_err(|source| Error::State {
            path: self.path.clone(),
            source,
        })
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        let new = self.path.with_extension("new");
        let _ = fs::remove_file(&new);
        // A link that somebody put there in advance is not followed.
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    /// Removes it.
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
    fn what_was_saved_is_loaded_and_other_boots_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::of(folder.path(), Some("x"));
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
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::of(folder.path(), None);
        file.save(&[Undo::Instance("x".into())]).unwrap();
        let real = folder.path().join("real");
        fs::rename(&file.path, &real).unwrap();
        std::os::unix::fs::symlink(&real, &file.path).unwrap();
        assert_eq!(file.load(), []);
    }
}
