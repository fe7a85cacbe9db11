//! The bytes of a file, read or mapped.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use crate::map::{Map, Truncated};

/// Smaller files are read, because mapping them is not faster.
const MAP_FROM_BYTES: u64 = 1 << 20;

/// The bytes of a file.
#[derive(Debug)]
pub enum Content {
    /// Bytes in memory.
    Read(Vec<u8>),
    /// Bytes that are read from the file when they are used.
    Mapped(Map),
}

impl Content {
    /// Reads a file, or maps it if it is big. A file that cannot be mapped, such as a pipe, is
    /// read.
    ///
    /// # Errors
    /// If the file cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file()
            && metadata.len() >= MAP_FROM_BYTES
            && let Ok(map) = Map::new(&file)
        {
            return Ok(Self::Mapped(map));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }

    /// The bytes from `from` on: `length` of them, or fewer at the end of the file. Bytes of a mapped file are copied
    /// into `buffer`. If they are used once, that takes less time than using them in the map.
    pub fn piece<'b>(&'b self, from: usize, length: usize, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        let from = from.min(self.len());
        let length = length.min(self.len() - from);
        match self {
            Self::Read(bytes) => &bytes[from..from + length],
            Self::Mapped(map) => {
                buffer.resize(length, 0);
                map.copy(from, buffer);
                buffer
            }
        }
    }

    /// Checks that all bytes used so far came from the file. Call this before a result is used.
    ///
    /// # Errors
    /// If the file was truncated while in use.
    pub fn check(&self) -> Result<(), Truncated> {
        match self {
            Self::Read(_) => Ok(()),
            Self::Mapped(map) => map.check(),
        }
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}
