//! The files of tracefs, behind a trait: the kernel's own, an instance's, or a made-up tree.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::Error;
use crate::sys;

/// More than any file of settings has.
const BLOCK: usize = 64 << 10;

/// A tree of tracefs files. Names are relative: `trace_clock`, `events/sched/sched_switch/enable`.
pub trait Tracefs {
    /// Where a file is.
    fn path(&self, file: &str) -> PathBuf;

    /// The text of a file, without white space at its end.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, file: &str) -> io::Result<String> {
        let mut file = File::open(self.path(file))?;
        // Some of these files give only what fits into the first read, and then say that they end.
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

    /// Writes a text in one system call, without truncating the file before.
    ///
    /// # Errors
    /// What the system says.
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).open(self.path(file))?;
        file.write_all(text.as_bytes())
    }

    /// Appends a text.
    ///
    /// # Errors
    /// What the system says.
    fn append(&self, file: &str, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.append(true).open(self.path(file))?;
        file.write_all(text.as_bytes())
    }

    /// Empties a file by opening it so; clears the buffer where the file is `trace`.
    ///
    /// # Errors
    /// What the system says.
    fn truncate(&self, file: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).open(self.path(file))?;
        Ok(())
    }

    /// Opens a file for reading that does not wait for data.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, file: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(true).custom_flags(libc::O_NONBLOCK);
        options.open(self.path(file))
    }

    /// Whether a file is there.
    fn exists(&self, file: &str) -> bool {
        sys::access(&self.path(file), libc::F_OK)
    }

    /// Whether a file is there and may be written.
    fn is_writable(&self, file: &str) -> bool {
        sys::access(&self.path(file), libc::W_OK)
    }

    /// The names in a folder, in order; none where it is missing.
    fn list(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }

    /// Makes a folder: in `instances` that is a trace instance.
    ///
    /// # Errors
    /// What the system says.
    fn make_folder(&self, folder: &str) -> io::Result<()> {
        fs::create_dir(self.path(folder))
    }

    /// Removes a folder that [`Tracefs::make_folder`] made, with the files that appeared in it.
    ///
    /// # Errors
    /// What the system says.
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
    /// The kernel's tracefs: `/sys/kernel/tracing`, or where older kernels have it.
    ///
    /// # Errors
    /// [`Error::NoTracefs`] where it is mounted in neither place.
    pub fn find() -> Result<Self, Error> {
        const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
        let there = |place: &&str| Self::at(place).exists("trace_marker");
        let place = PLACES.into_iter().find(there).ok_or(Error::NoTracefs)?;
        Ok(Self::at(place))
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

/// The tree of a trace instance: a ring buffer, events and options of its own. The top instance is
/// the whole tree.
pub struct Instance<'a> {
    whole: &'a dyn Tracefs,
    name: Option<String>,
}

impl<'a> Instance<'a> {
    /// The whole tree, with the buffer that all programs share.
    pub fn top(whole: &'a dyn Tracefs) -> Self {
        Self { whole, name: None }
    }

    /// The instance `name` of a tree; it need not exist yet.
    ///
    /// # Errors
    /// [`Error::InstanceName`] for names that could leave the folder of instances.
    pub fn of(whole: &'a dyn Tracefs, name: &str) -> Result<Self, Error> {
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(fine) {
            return Err(Error::InstanceName(name.to_owned()));
        }
        Ok(Self {
            whole,
            name: Some(name.to_owned()),
        })
    }

    /// The tree that it is part of.
    pub fn whole(&self) -> &'a dyn Tracefs {
        self.whole
    }

    /// Its name; the top instance has none.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// An instance's folder in the whole tree.
    pub fn folder(name: &str) -> String {
        format!("instances/{name}")
    }

    /// What a file is called in the whole tree.
    pub fn inside(&self, file: &str) -> String {
        match &self.name {
            None => file.to_owned(),
            Some(name) => format!("{}/{file}", Self::folder(name)),
        }
    }
}

// Whatever a tree does in its own way, it also does inside an instance.
impl Tracefs for Instance<'_> {
    fn path(&self, file: &str) -> PathBuf {
        self.whole.path(&self.inside(file))
    }
    fn read(&self, file: &str) -> io::Result<String> {
        self.whole.read(&self.inside(file))
    }
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        self.whole.write(&self.inside(file), text)
    }
    fn append(&self, file: &str, text: &str) -> io::Result<()> {
        self.whole.append(&self.inside(file), text)
    }
    fn truncate(&self, file: &str) -> io::Result<()> {
        self.whole.truncate(&self.inside(file))
    }
    fn open(&self, file: &str) -> io::Result<File> {
        self.whole.open(&self.inside(file))
    }
    fn exists(&self, file: &str) -> bool {
        self.whole.exists(&self.inside(file))
    }
    fn is_writable(&self, file: &str) -> bool {
        self.whole.is_writable(&self.inside(file))
    }
    fn list(&self, folder: &str) -> Vec<String> {
        self.whole.list(&self.inside(folder))
    }
}

/// Writes, with an error that names the file as atrace names it.
pub(crate) fn write(tree: &dyn Tracefs, file: &str, text: &str) -> Result<(), Error> {
    let path = tree.path(file);
    tree.write(file, text)
        .map_err(Error::file("writing to", &path))
}

/// Reads, with an error that names the file.
pub(crate) fn read(tree: &dyn Tracefs, file: &str) -> Result<String, Error> {
    let path = tree.path(file);
    tree.read(file).map_err(Error::file("reading", &path))
}

/// Empties a file, with an error that names it.
pub(crate) fn truncate(tree: &dyn Tracefs, file: &str) -> Result<(), Error> {
    let path = tree.path(file);
    tree.truncate(file)
        .map_err(Error::file("truncating", &path))
}
