//! Writing output files atomically.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::{NamedTempFile, TempPath};

/// Writes a temporary file next to `path` and renames it when it is complete. `-` is standard
/// output. A device or a pipe (`/dev/null`, `/dev/stdout`) is written to, never replaced, and a
/// symbolic link stays one.
///
/// # Errors
/// If `write` fails or the folder is not writable. The old file is then unchanged.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if path.as_os_str() == "-" {
        return print(write);
    }
    match std::fs::metadata(path) {
        Ok(old) if old.is_dir() => bail!(
            "{}: is a folder; give the name of a file in it",
            path.display()
        ),
        Ok(old) if !old.is_file() => write_into(path, write),
        Ok(_) => replace(&std::fs::canonicalize(path)?, write),
        Err(_) => replace(path, write),
    }
}

/// Writes the complete output to a device or a pipe.
fn write_into(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    let device = std::fs::OpenOptions::new().write(true).open(path);
    match device.and_then(|mut device| device.write_all(&bytes)) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Replaces the contents of `path` atomically.
fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        bail!(
            "cannot write {}: there is no folder {}",
            path.display(),
            folder.display()
        );
    }
    let cannot = || format!("cannot write {}", path.display());
    let file = temporary_in(folder).with_context(cannot)?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out)?;
    let file = out
        .into_inner()
        .map_err(|error| error.into_error())
        .with_context(cannot)?;
    file.persist(path).with_context(cannot)?;
    Ok(())
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut temporary = tempfile::Builder::new();
    set_usual_mode(&mut temporary);
    temporary.prefix(".traceloom-").tempfile_in(folder)
}

/// A temporary file that is renamed when complete, and deleted otherwise.
pub struct Unfinished {
    temporary: TempPath,
    path: PathBuf,
}

impl Unfinished {
    /// Renames it, replacing the old file.
    ///
    /// # Errors
    /// If renaming fails.
    pub fn finish(self) -> Result<()> {
        let persisted = self.temporary.persist(&self.path);
        persisted.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A temporary file next to `path` that may replace it; a symbolic link stays one. `None` if `path`
/// is not a regular file, or no file can be created next to it: [`write_file`] then reports why.
pub fn unfinished(path: &Path) -> Option<(File, Unfinished)> {
    let path = match std::fs::metadata(path) {
        Ok(old) if old.is_file() => std::fs::canonicalize(path).ok()?,
        Ok(_) => return None,
        Err(_) => path.to_owned(),
    };
    let (file, temporary) = temporary_in(folder_of(&path)).ok()?.into_parts();
    Some((file, Unfinished { temporary, path }))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Temporary files are private by default; a result gets the mode that the umask allows.
#[cfg(unix)]
fn set_usual_mode(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn set_usual_mode(_: &mut tempfile::Builder<'_, '_>) {}

/// Writes the complete text to standard output. A pipe closed early is not an error.
///
/// # Errors
/// If `write` fails (nothing is printed then), or standard output does.
pub fn print(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text)?;
    match io::stdout().lock().write_all(&text) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}
