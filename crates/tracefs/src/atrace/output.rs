//! The output of a recording: stdout or a file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::Error;

/// Stdout without the line buffer of the standard library.
pub(super) fn unbuffered_stdout() -> Result<File, Error> {
    let stdout = io::stdout();
    let file = stdout.as_fd().try_clone_to_owned().map_err(Error::Output)?;
    Ok(file.into())
}

/// Opens the file of `-o` and truncates it.
pub(super) fn open_output(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o644);
    options.open(path)
}

/// Fails if the file of `-o` cannot be written. Leaves it unchanged.
pub(super) fn check_writable(path: &Path) -> Result<(), Error> {
    let is_new = !path.exists();
    if !is_new && !path.is_file() {
        return Ok(()); // opening a pipe would wait for its reader
    }
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(true).mode(0o644).open(path);
    opened.map_err(Error::file("opening", path))?;
    if is_new {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}
