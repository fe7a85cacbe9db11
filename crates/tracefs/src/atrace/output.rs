//! The output of a recording: stdout or a file.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::spool::other_folders;

/// Stdout without the line buffer of the standard library.
pub(super) fn unbuffered_stdout() -> Result<File, Error> {
    let stdout = io::stdout();
    let file = stdout.as_fd().try_clone_to_owned().map_err(Error::Output)?;
    Ok(file.into())
}

/// Opens the file of `-o` and truncates it.
///
/// In a folder that other users can write to, such as `/tmp`, one of them may have created a link or a file at this
/// path. So links are not followed, files of other users are not written to, and only this user can access a new file.
pub(super) fn open_output(path: &Path) -> io::Result<File> {
    let is_shared = is_shared(path);
    let file = options(is_shared).write(true).open(path)?;
    let there = file.metadata()?;
    if is_shared && !is_ours(&there) {
        return Err(io::Error::other(
            "it belongs to another user, in a folder that others can write to",
        ));
    }
    if there.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Fails if the file of `-o` cannot be written. Leaves it unchanged. The target of a link is created.
pub(super) fn check_writable(path: &Path) -> Result<(), Error> {
    if path.exists() && !path.is_file() {
        return Ok(()); // opening a pipe would wait for its reader
    }
    let mut options = options(is_shared(path));
    let new = options.clone().write(true).create_new(true).open(path);
    match new {
        Ok(_) => _ = std::fs::remove_file(path),
        // The path is a file or a link. The target of the link may not exist yet.
        Err(_) => {
            _ = options
                .append(true)
                .open(path)
                .map_err(Error::file("opening", path))?
        }
    }
    Ok(())
}

/// Writes a recording to the file of `-o`. If its disk is full, writes to a file on another disk.
///
/// # Errors
/// The errors of `write`; [`Error::KeptElsewhere`] if the recording is complete, but in another
/// file.
pub(super) fn write_output(
    path: &Path,
    write: impl FnMut(&mut File) -> Result<(), Error>,
) -> Result<(), Error> {
    let file = open_output(path).map_err(Error::file("opening", path))?;
    write_opened(file, path, write)
}

/// As [`write_output`], to a file that is already open.
pub(super) fn write_opened(
    mut file: File,
    path: &Path,
    mut write: impl FnMut(&mut File) -> Result<(), Error>,
) -> Result<(), Error> {
    let source = match write(&mut file) {
        Err(Error::Output(source)) => source,
        written => return written,
    };
    let is_full = source.kind() == io::ErrorKind::StorageFull;
    // A device or a pipe has no disk.
    if is_full && file.metadata().is_ok_and(|about| about.is_file()) {
        for folder in other_folders() {
            let Some((mut other, kept)) = new_file(&folder, path) else {
                continue;
            };
            if write(&mut other).is_ok() {
                _ = std::fs::remove_file(path);
                let path = path.to_path_buf();
                return Err(Error::KeptElsewhere { path, kept, source });
            }
            _ = std::fs::remove_file(kept);
        }
    }
    Err(Error::Output(source).in_output(Some(path)))
}

/// A new file in `folder` with the name of `path`. If the name is taken, a number is added.
fn new_file(folder: &Path, path: &Path) -> Option<(File, PathBuf)> {
    let name = path.file_name()?.to_string_lossy();
    let names = [name.to_string(), format!("{}-{name}", std::process::id())];
    names.into_iter().find_map(|name| {
        let path = folder.join(name);
        let mut new = OpenOptions::new();
        let opened = new.write(true).create_new(true).mode(0o600).open(&path);
        opened.ok().map(|file| (file, path))
    })
}

fn options(is_shared: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o644);
    if is_shared {
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options
}

/// Whether other users can write to the folder of this path.
fn is_shared(path: &Path) -> bool {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    std::fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o022 != 0)
}

fn is_ours(file: &Metadata) -> bool {
    // SAFETY: `geteuid` has no preconditions.
    file.uid() == unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_in_shared_folders_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        symlink(&file, &link).unwrap();
        open_output(&link).unwrap().write_all(b"long text").unwrap();
        open_output(&link).unwrap().write_all(b"text").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"text");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        assert!(open_output(&link).is_err());
        let new = folder.path().join("new");
        open_output(&new).unwrap();
        assert_eq!(fs::metadata(&new).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_check_leaves_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, new] = ["file", "link", "new"].map(|name| folder.path().join(name));
        symlink(&file, &link).unwrap();
        check_writable(&link).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), file);
        fs::write(&file, b"text").unwrap();
        check_writable(&link).unwrap();
        check_writable(&file).unwrap();
        assert_eq!(fs::read(&link).unwrap(), b"text");
        check_writable(&new).unwrap();
        assert!(!new.exists());
        assert!(check_writable(&folder.path().join("none/new")).is_err());
    }
}
