//! Trace instances: ring buffers with their own events and options.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use crate::Error;
use crate::tracefs::Tracefs;

/// A trace instance, or the top-level tree with the shared ring buffer.
pub struct Instance<'a> {
    root: &'a dyn Tracefs,
    name: Option<String>,
}

impl<'a> Instance<'a> {
    /// The top-level tree, whose ring buffer all programs share.
    pub fn top(root: &'a dyn Tracefs) -> Self {
        Self { root, name: None }
    }

    /// The instance `name` of a tree. It need not exist yet.
    ///
    /// # Errors
    /// [`Error::InstanceName`] for names that could leave the folder of instances.
    pub fn named(root: &'a dyn Tracefs, name: &str) -> Result<Self, Error> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_allowed) {
            return Err(Error::InstanceName(name.to_owned()));
        }
        Ok(Self {
            root,
            name: Some(name.to_owned()),
        })
    }

    /// The top-level tree.
    pub fn root(&self) -> &'a dyn Tracefs {
        self.root
    }

    /// The name; `None` for the top-level tree.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The folder of an instance in the top-level tree.
    pub fn folder(name: &str) -> String {
        format!("instances/{name}")
    }

    /// The name of a file of this instance in the top-level tree.
    pub fn name_in_root(&self, file: &str) -> String {
        match &self.name {
            None => file.to_owned(),
            Some(name) => format!("{}/{file}", Self::folder(name)),
        }
    }
}

// Forwards every method, so that methods which the root tree overrides apply here too.
impl Tracefs for Instance<'_> {
    fn path(&self, file: &str) -> PathBuf {
        self.root.path(&self.name_in_root(file))
    }
    fn read(&self, file: &str) -> io::Result<String> {
        self.root.read(&self.name_in_root(file))
    }
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        self.root.write(&self.name_in_root(file), text)
    }
    fn append(&self, file: &str, text: &str) -> io::Result<()> {
        self.root.append(&self.name_in_root(file), text)
    }
    fn truncate(&self, file: &str) -> io::Result<()> {
        self.root.truncate(&self.name_in_root(file))
    }
    fn open(&self, file: &str) -> io::Result<File> {
        self.root.open(&self.name_in_root(file))
    }
    fn exists(&self, file: &str) -> bool {
        self.root.exists(&self.name_in_root(file))
    }
    fn is_writable(&self, file: &str) -> bool {
        self.root.is_writable(&self.name_in_root(file))
    }
    fn list(&self, folder: &str) -> Vec<String> {
        self.root.list(&self.name_in_root(folder))
    }
}
