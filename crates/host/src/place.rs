//! The place of an output: what already exists there, and whether another user may have created it.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why nothing is written to a place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Another user could read or redirect what is written.
    #[error(
        "{0} belongs to another user, in a folder that others can write to; remove it or choose another name"
    )]
    Planted(PathBuf),
    /// A symbolic link that cannot be followed, or another error of the system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The file that a path refers to: the target of a symbolic link, or the path itself.
///
/// In a folder that other users can write to, such as `/tmp`, the path may have been created by one
/// of them: a link to one of our files, which would be overwritten, or a pipe, through which they
/// could read the output.
///
/// # Errors
/// If another user owns what is at this path in such a folder, or a link cannot be followed.
pub fn resolve(path: &Path) -> Result<PathBuf, PlaceError> {
    let Ok(there) = fs::symlink_metadata(path) else {
        return Ok(path.to_owned());
    };
    if is_planted(path, &there) {
        return Err(PlaceError::Planted(path.to_owned()));
    }
    if there.is_symlink() {
        return Ok(follow(path)?);
    }
    Ok(path.to_owned())
}

/// The target of a link, which may be a file that does not exist yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = fs::read_link(path)?;
            Ok(folder_of(path).join(target))
        }
        result => result,
    }
}

/// The folder of a path.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Whether another user may have created this. The owner of the folder does not count, because they
/// can replace anything in it.
#[cfg(unix)]
fn is_planted(path: &Path, there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(folder) = fs::metadata(folder_of(path)) else {
        return false;
    };
    // SAFETY: only returns a number.
    let ours = unsafe { libc::geteuid() };
    let others_write = folder.mode() & 0o022 != 0;
    others_write && there.uid() != ours && there.uid() != folder.uid() && there.uid() != 0
}

#[cfg(not(unix))]
fn is_planted(_: &Path, _: &Metadata) -> bool {
    false
}
