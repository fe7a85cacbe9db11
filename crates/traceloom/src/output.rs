//! Writing output files atomically.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use traceloom_host::{NewFile, RESULT, resolve};

use crate::print::{stream, stream_into};

pub use traceloom_host::RECORDING;

/// Writes a file that replaces `path` when it is complete. `-` is standard output. A device or a
/// pipe (`/dev/null`, `/dev/stdout`) is written to and never replaced. A symbolic link is kept.
///
/// # Errors
/// If `write` fails, the folder is not writable, or another user owns the file at this path in a
/// shared folder. The old file is then unchanged.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_file_as(RESULT, path, write)
}

/// Writes a recording, which only its owner may read. Otherwise like [`write_file`].
///
/// # Errors
/// The errors of [`write_file`].
pub fn write_recording(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write_file_as(RECORDING, path, write)
}

fn write_file_as(
    mode: u32,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if path.as_os_str() == "-" {
        return stream(write);
    }
    let target = resolve(path).with_context(|| cannot(path))?;
    match std::fs::metadata(&target) {
        Ok(old) if old.is_dir() => bail!("{}", is_folder(path)),
        Ok(old) if !old.is_file() => write_into(&target, write),
        _ => replace(mode, &target, write),
    }
}

/// Checks that a recording can be written to `path`, before it is made. Leaves an old file unchanged.
///
/// # Errors
/// If the folder does not exist, is not writable or full, or the file cannot be replaced.
pub fn check_recording(path: &Path) -> Result<()> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let target = resolve(path).with_context(|| cannot(path))?;
    match std::fs::metadata(&target) {
        Ok(old) if old.is_dir() => bail!("{}", is_folder(path)),
        // Opening a pipe would wait for its reader.
        Ok(old) if !old.is_file() => return Ok(()),
        Ok(_) => {
            let old = File::options().append(true).open(&target);
            old.with_context(|| cannot(path))?;
        }
        Err(_) => {}
    }
    check_folder(&target)?;
    let mut new = NewFile::create(&target, RECORDING).with_context(|| cannot(path))?;
    let written = new.file().write_all(&[0; 4096]);
    written.with_context(|| cannot(path))
}

fn is_folder(path: &Path) -> String {
    format!(
        "{}: is a folder; give the name of a file in it",
        path.display()
    )
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Writes to a device or a pipe.
fn write_into(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let device = std::fs::OpenOptions::new().write(true).open(path);
    let device = device.with_context(|| cannot(path))?;
    stream_into(device, &cannot(path), write)
}

/// Refuses a file in a folder that does not exist.
fn check_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => bail!("{}: there is no folder {}", cannot(path), folder.display()),
        None => Ok(()),
    }
}

/// Replaces the contents of `path` atomically.
fn replace(mode: u32, path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    check_folder(path)?;
    let mut new = NewFile::create(path, mode).with_context(|| cannot(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, new.file());
    write(&mut out).map_err(|error| named(error, path))?;
    out.flush().with_context(|| cannot(path))?;
    drop(out);
    new.persist().with_context(|| cannot(path))
}

/// Adds the file to an error of the system, such as a full disk.
fn named(error: anyhow::Error, path: &Path) -> anyhow::Error {
    let is_of_system = |cause: &(dyn std::error::Error + 'static)| cause.is::<std::io::Error>();
    if error.chain().any(is_of_system) {
        error.context(cannot(path))
    } else {
        error
    }
}

/// Lets `write` create a file by itself, under the temporary name that it gets. The file replaces `path` when it is
/// complete. A symbolic link is kept.
///
/// # Errors
/// Like [`write_file`]. Also fails if `path` is standard output, a device or a pipe, because such a
/// file cannot be written out of order.
#[cfg(feature = "query")]
pub fn write_by_name(path: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let target = resolve(path).with_context(|| cannot(path))?;
    let is_other = std::fs::metadata(&target).is_ok_and(|old| !old.is_file());
    if path.as_os_str() == "-" || is_other {
        bail!(
            "{}: is not a file, and this format needs one",
            path.display()
        );
    }
    check_folder(&target)?;
    let new = NewFile::create_named(&target, RESULT).with_context(|| cannot(path))?;
    let name = new.temporary_name().with_context(|| cannot(path))?;
    write(name).with_context(|| cannot(path))?;
    new.persist().with_context(|| cannot(path))
}

/// A recording that gets its name when it is complete, and is deleted otherwise.
pub struct Unfinished(NewFile);

impl Unfinished {
    /// Gives the file its name and replaces the old file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(self) -> Result<()> {
        self.0.persist().context("cannot write the recording")
    }
}

/// A new file that may replace `path`; a symbolic link is kept. `None` if `path` is not a regular
/// file, or if no file can be created next to it. In that case [`write_file`] reports the reason.
pub fn unfinished(path: &Path) -> Option<(File, Unfinished)> {
    let path = resolve(path).ok()?;
    if std::fs::metadata(&path).is_ok_and(|old| !old.is_file()) {
        return None;
    }
    let mut new = NewFile::create(&path, RECORDING).ok()?;
    let file = new.file().try_clone().ok()?;
    Some((file, Unfinished(new)))
}

/// Writes the complete text to standard output. A pipe closed early is not an error.
///
/// # Errors
/// If `write` fails (nothing is printed then), or standard output does.
pub fn print(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text)?;
    stream(|out| Ok(out.write_all(&text)?))
}
