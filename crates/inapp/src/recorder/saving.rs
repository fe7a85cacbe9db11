//! Saving a recording while it continues, and converting ring files.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::current::with_current;
use super::save::{self, Format};
use super::snapshot::snapshot;

/// Saves the recording, or at least its last part, while recording continues.
///
/// `None` saves everything. `Some(last)` saves whole chunks: at least the last `last` of each thread, if the ring holds
/// that much. The file appears under its name once it is complete.
///
/// # Errors
/// If nothing is being recorded ([`io::ErrorKind::NotFound`]), or the file cannot be written.
pub fn save(path: &Path, format: Format, last: Option<Duration>) -> io::Result<()> {
    let bytes = with_current(|session| snapshot(session, last));
    let bytes = bytes
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "nothing is being recorded"))?;
    save::write(&bytes, path, format)
}

/// Converts a ring file, stopped or left by an earlier process, to another format.
///
/// # Errors
/// If `ring` cannot be read or is not a ring file, or if `path` cannot be written.
pub fn convert(ring: &Path, path: &Path, format: Format) -> io::Result<()> {
    save::write(&std::fs::read(ring)?, path, format)
}
