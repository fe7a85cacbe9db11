//! Access to the files of tracefs, behind a trait so that tests can use a fake tree.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::Error;
use crate::sys;

/// Size of a read, bytes.
const BLOCK: usize = 64 << 10;

/// A tree of tracefs files. File names are relative, such as `events/sched/sched_switch/enable`.
pub trait Tracefs {
    /// The path of a file.
    fn path(&self, file: &str) -> PathBuf;

    /// Reads a file and removes white space at its end.
    ///
    /// # Errors
    /// The system's error.
    fn read(&self, file: &str) -> io::Result<String> {
        let mut file = File::open(self.path(file))?;
        // A large first read: some files only return what fits into it.
        let mut text = Vec::new();
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block)? {
                0 => break,
                count => text.extend_from_slice(&block[..count]),
            }
        }
        Ok(String::from_utf8_lossy(&text).trim_end().to_owned())
    }

    /// Writes a text in one system call, without truncating the file.
    ///
    /// # Errors
    /// The system's error.
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).open(self.path(file))?;
        file.write_all(text.as_bytes())
    }

    /// Appends a text to a file.
    ///
    /// # Errors
    /// The system's error.
    fn append(&self, file: &str, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.append(true).open(self.path(file))?;
        file.write_all(text.as_bytes())
    }

    /// Truncates a file. For `trace` this clears the ring buffer.
    ///
    /// # Errors
    /// The system's error.
    fn truncate(&self, file: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).open(self.path(file))?;
        Ok(())
    }

    /// Opens a file for reading without blocking.
    ///
    /// # Errors
    /// The system's error.
    fn open(&self, file: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(true).custom_flags(libc::O_NONBLOCK);
        options.open(self.path(file))
    }

    /// Whether a file exists.
    fn exists(&self, file: &str) -> bool {
        sys::exists(&self.path(file))
    }

    /// Whether a file exists and may be written.
    fn is_writable(&self, file: &str) -> bool {
        sys::is_writable(&self.path(file))
    }

    /// The names in a folder, sorted. Empty if the folder does not exist.
    fn list(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }

    /// Creates a folder. In `instances` this creates a trace instance.
    ///
    /// # Errors
    /// The system's error.
    fn make_folder(&self, folder: &str) -> io::Result<()> {
        fs::create_dir(self.path(folder))
    }

    /// Removes a folder of [`Tracefs::make_folder`], with the files that the kernel created in it.
    ///
    /// # Errors
    /// The system's error.
    fn remove_folder(&self, folder: &str) -> io::Result<()> {
        fs::remove_dir(self.path(folder))
    }
}

/// A mounted tracefs.
#[derive(Clone, Debug)]
pub struct Mounted {
    root: PathBuf,
}

impl Mounted {
    /// The usual mount points. The second is that of older kernels.
    pub const PLACES: [&'static str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

    /// Finds the mounted tracefs.
    ///
    /// # Errors
    /// [`Error::NoTracefs`] if it is not mounted at one of [`PLACES`](Self::PLACES).
    pub fn find() -> Result<Self, Error> {
        let mut trees = Self::PLACES.into_iter().map(Self::at);
        let mounted = trees.find(|tree| tree.exists("trace_marker"));
        mounted.ok_or(Error::NoTracefs)
    }

    /// The tree at `root`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Tracefs for Mounted {
    fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }
}

/// Writes a file, with atrace's error message.
pub(crate) fn write(tree: &dyn Tracefs, file: &str, text: &str) -> Result<(), Error> {
    let path = tree.path(file);
    tree.write(file, text)
        .map_err(Error::file("writing to", &path))
}

/// Reads a file, with an error that names it.
pub(crate) fn read(tree: &dyn Tracefs, file: &str) -> Result<String, Error> {
    let path = tree.path(file);
    tree.read(file).map_err(Error::file("reading", &path))
}

/// Truncates a file, with an error that names it.
pub(crate) fn truncate(tree: &dyn Tracefs, file: &str) -> Result<(), Error> {
    let path = tree.path(file);
    tree.truncate(file)
        .map_err(Error::file("truncating", &path))
}

/// The selected value in a file that lists all values: `global` in `local [global] mono`.
pub(crate) fn selected(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::selected;

    #[test]
    fn the_selected_value_is_in_brackets() {
        assert_eq!(selected("local global [boot] mono"), Some("boot"));
        assert_eq!(selected(""), None);
    }
}
