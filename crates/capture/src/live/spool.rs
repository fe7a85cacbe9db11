//! Stores a recording of any length in a file instead of in memory.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

/// Size of a write and of a read, bytes.
const CHUNK: usize = 1 << 20;

/// A file that is written while recording and read back at the end.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    buffer: Vec<u8>,
    /// Whether a write has failed.
    is_broken: bool,
}

impl Spool {
    pub fn new(file: File) -> Self {
        Self {
            file,
            buffer: Vec::with_capacity(CHUNK),
            is_broken: false,
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// The first failed write. Later bytes are dropped without an error.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_broken {
            return Ok(());
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < CHUNK {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        self.is_broken = written.is_err();
        written
    }

    /// Passes all bytes to `take`, in chunks.
    ///
    /// # Errors
    /// If the file cannot be read, or `take` fails.
    pub fn read_back(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if !self.is_broken {
            self.flush()?;
        }
        self.file.rewind()?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match self.file.read(&mut chunk)? {
                0 => return Ok(()),
                length => take(&chunk[..length])?,
            }
        }
    }
}
