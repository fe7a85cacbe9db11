//! A new file that does not have its final name yet.
//!
//! It is created under a temporary name. A ring file gets its final name once its header is complete, any other file
//! once all of its content is complete. So a failure leaves no file behind, no link is followed, and a file that
//! another process has mapped is never truncated.

use std::fs::{File, remove_file, rename, symlink_metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::previous::{Previous, move_aside};
use super::ticks::clock_ns;

/// A new file. It is removed if this is dropped before the file has its final name.
#[derive(Debug)]
pub(super) struct NewFile {
    file: File,
    /// Its temporary path.
    own_name: PathBuf,
    path: PathBuf,
    has_name: bool,
}

impl NewFile {
    /// As [`create`](Self::create), for a ring file.
    pub fn create_ring(path: &Path) -> io::Result<Self> {
        check(path)?;
        Self::create(path)
    }

    /// Creates an empty file that only this user may open, in the folder of `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut own_name = path.as_os_str().to_owned();
        let (pid, now) = (std::process::id(), clock_ns(libc::CLOCK_MONOTONIC));
        own_name.push(format!(".new-{pid}-{now}"));
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(&own_name)?;
        Ok(Self {
            file,
            own_name: own_name.into(),
            path: path.to_owned(),
            has_name: false,
        })
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives a ring file its name. A recording that was there is moved aside; any other file is replaced.
    pub fn publish_ring(self) -> io::Result<Option<Previous>> {
        let previous = move_aside(&self.path)?;
        self.publish()?;
        Ok(previous)
    }

    /// Gives the file its name. Another file of this name is replaced.
    pub fn publish(mut self) -> io::Result<()> {
        rename(&self.own_name, &self.path)?;
        self.has_name = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.has_name {
            let _ = remove_file(&self.own_name);
        }
    }
}

/// Links, devices and folders are not replaced.
fn check(path: &Path) -> io::Result<()> {
    match symlink_metadata(path) {
        Ok(data) if !data.is_file() => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the path of a ring file must not be a link, a folder or a device",
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
