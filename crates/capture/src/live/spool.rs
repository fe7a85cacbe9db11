//! A recording of any length, in a file instead of in memory.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

/// Bytes that are handed over at once.
const PIECE: usize = 1 << 20;

/// What was recorded, in a file that is read back when the recording has ended.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    waiting: Vec<u8>,
    /// Why it takes no more.
    broken: Option<io::Error>,
}

impl Spool {
    pub fn new(file: File) -> Self {
        Self {
            file,
            waiting: Vec::with_capacity(PIECE),
            broken: None,
        }
    }

    /// Takes what comes next.
    ///
    /// # Errors
    /// The first time that it cannot be kept; what comes later is dropped.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.broken.is_some() {
            return Ok(());
        }
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() < PIECE {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.waiting);
        self.waiting.clear();
        written.map_err(|error| {
            let told = io::Error::new(error.kind(), error.to_string());
            self.broken = Some(error);
            told
        })
    }

    /// Hands over all that it took, piece by piece.
    ///
    /// # Errors
    /// Where it cannot be read back, or `take` fails.
    pub fn read_back(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.broken.is_none() {
            self.flush()?;
        }
        self.file.rewind()?;
        let mut piece = vec![0; PIECE];
        loop {
            match self.file.read(&mut piece)? {
                0 => return Ok(()),
                length => take(&piece[..length])?,
            }
        }
    }
}
