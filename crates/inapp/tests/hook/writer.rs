//! The library of `c/writer.c` in one layout.

use std::ffi::c_void;
use std::path::Path;

use super::build::Library;

type Put = extern "C" fn(i32, *const c_void, usize) -> isize;

/// The functions of the library that write.
pub const WAYS: [&str; 5] = [
    "put",
    "put_checked",
    "put_constant",
    "put_variable",
    "put_taken",
];

pub struct Writer {
    library: Library,
    ways: Vec<Put>,
}

impl Writer {
    pub fn open(path: &Path) -> Self {
        Self::from(Library::open(path))
    }

    pub fn from(library: Library) -> Self {
        // SAFETY: all of them have the type of `write`.
        let ways = WAYS
            .iter()
            .map(|way| unsafe { library.function(way) })
            .collect();
        Self { library, ways }
    }

    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Writes with a function of `WAYS`.
    pub fn put_by(&self, way: usize, fd: i32, data: &[u8]) -> isize {
        self.ways[way](fd, data.as_ptr().cast(), data.len())
    }

    pub fn put(&self, fd: i32, data: &[u8]) -> isize {
        self.put_by(0, fd, data)
    }
}
