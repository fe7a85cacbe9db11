//! Stores a recording of any length in a file instead of in memory.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

/// Size of a write and of a read, bytes.
const CHUNK: usize = 1 << 20;

/// The message for a file that cannot be written. It names the folder, because the file has no
/// name.
pub(crate) fn cannot_store(error: &io::Error) -> String {
    let folder = std::env::temp_dir();
    format!(
        "cannot store the recorded data in {}: {error}",
        folder.display()
    )
}

/// A file that is written while recording and read back at the end.
#[derive(Debug)]
pub(crate) struct SpillFile {
    file: File,
    written: u64,
    /// The bytes after those in the file.
    buffer: Vec<u8>,
    /// Whether a write has failed. The bytes in the buffer then stay there.
    is_broken: bool,
}

impl SpillFile {
    pub fn new(file: File) -> Self {
        Self {
            file,
            written: 0,
            buffer: Vec::new(),
            is_broken: false,
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// The first failed write. These bytes are still kept, later ones are dropped without an error.
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

    /// The number of bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut done = 0;
        while done < self.buffer.len() {
            match self.file.write(&self.buffer[done..]) {
                Ok(count) if count > 0 => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                failed => {
                    self.is_broken = true;
                    self.written += done as u64;
                    self.buffer.drain(..done);
                    return Err(failed.err().unwrap_or(io::ErrorKind::WriteZero.into()));
                }
            }
        }
        self.written += done as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Passes the first `count` bytes to `take`, in chunks.
    ///
    /// # Errors
    /// If the file cannot be read, or `take` fails.
    pub fn read_back(
        &mut self,
        count: u64,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.file.rewind()?;
        let mut left = count.min(self.written);
        let mut chunk = vec![0; CHUNK];
        while left > 0 {
            let most = chunk.len().min(usize::try_from(left).unwrap_or(CHUNK));
            self.file.read_exact(&mut chunk[..most])?;
            take(&chunk[..most])?;
            left -= most as u64;
        }
        let rest = usize::try_from(count.saturating_sub(self.written)).unwrap_or(usize::MAX);
        take(&self.buffer[..rest.min(self.buffer.len())])
    }
}
