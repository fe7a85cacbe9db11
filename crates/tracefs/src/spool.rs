//! Unnamed files that keep pages until the recording ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::sys;

/// The folder for temporary files on Android.
pub const ANDROID_FOLDER: &str = "/data/local/tmp";

/// Folders for what does not fit on a full disk, the best one first.
pub fn other_folders() -> Vec<PathBuf> {
    let fixed = ["/var/tmp", "/tmp", ANDROID_FOLDER];
    let fixed = fixed.into_iter().map(PathBuf::from);
    std::iter::once(std::env::temp_dir()).chain(fixed).collect()
}

/// Unnamed files with the pages of a CPU, in order. If a disk is full, the next file is on another one.
pub struct Spool {
    /// The files.
    pub files: Vec<File>,
    /// Folders on other disks that were not tried yet.
    others: Vec<PathBuf>,
}

impl Spool {
    /// An empty spool in `folder`.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut others = other_folders();
        others.retain(|other| other != folder);
        others.reverse();
        Ok(Self {
            files: vec![unnamed(folder)?],
            others,
        })
    }

    /// Stores bytes with `write`; in another file if the disk is full.
    pub fn store<T>(&mut self, write: impl Fn(&mut &File) -> io::Result<T>) -> io::Result<T> {
        loop {
            let Some(mut file) = self.files.last() else {
                return Err(io::ErrorKind::NotFound.into());
            };
            match write(&mut file) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    let next = std::iter::from_fn(|| self.others.pop());
                    let next = next.filter_map(|folder| unnamed(&folder).ok()).next();
                    self.files.push(next.ok_or(error)?);
                }
                stored => return stored,
            }
        }
    }

    /// Moves to the start of each file.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(File::rewind)
    }

    /// Removes the last `bytes` bytes.
    pub fn cut(&mut self, mut bytes: u64) -> io::Result<()> {
        for file in self.files.iter().rev() {
            let length = file.metadata()?.len();
            let cut = bytes.min(length);
            file.set_len(length - cut)?;
            bytes -= cut;
        }
        Ok(())
    }
}

impl Read for Spool {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        for file in &mut self.files {
            match file.read(to)? {
                0 => {}
                count => return Ok(count),
            }
        }
        Ok(0)
    }
}

/// Creates a file that disappears when it is closed.
pub fn unnamed(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        Ok(file) => return Ok(file),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
        // Not every file system supports unnamed files.
        Err(_) => {}
    }
    let stamp = sys::monotonic_ns();
    let path = folder.join(format!(".atrace-{}-{stamp}", std::process::id()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}
