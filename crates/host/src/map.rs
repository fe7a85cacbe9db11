//! A mapped file that may be truncated safely.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;
use thiserror::Error;

use crate::guard::Guard;

/// A mapped file was truncated, or its disk failed, so some of its bytes were never read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the file was truncated while it was read; read it again once it is complete")]
pub struct Truncated;

/// A file in memory, read-only. Its bytes are read from the file when they are used.
///
/// If the file is truncated while mapped, the missing bytes read as zeros and
/// [`check`](Self::check) fails. The bytes change if another process writes to the file, so reading
/// a byte twice may give different values.
#[derive(Debug)]
pub struct Map {
    // Dropped before the map, because the addresses may be reused afterwards.
    guard: Guard,
    bytes: Mmap,
    file: File,
}

impl Map {
    /// Maps a whole file.
    ///
    /// # Errors
    /// If the system does not map this file, or too many files are mapped. The file can then be read.
    pub fn new(file: &File) -> io::Result<Self> {
        let file = file.try_clone()?;
        // SAFETY: the map is read-only and private, users treat its bytes as plain data, and the guard
        // handles the signal of a truncated file.
        let bytes = unsafe { Mmap::map(&file) }?;
        let guard = Guard::new(&bytes)?;
        Ok(Self { guard, bytes, file })
    }

    /// Checks that all bytes used so far came from the file. Call this before a result is used.
    ///
    /// # Errors
    /// If the file was truncated while mapped.
    pub fn check(&self) -> Result<(), Truncated> {
        // The rest of the last page reads as zeros without a signal, so the length counts too.
        let length = self.file.metadata().map_or(0, |metadata| metadata.len());
        if self.guard.was_hit() || length < self.bytes.len() as u64 {
            return Err(Truncated);
        }
        Ok(())
    }

    /// Fills `piece` with the bytes from `from` on, which must be in the map. For bytes that are used once, a copy takes less
    /// time than the pages that the kernel would have to map.
    pub(crate) fn copy(&self, from: usize, piece: &mut [u8]) {
        // If the file was truncated, the missing part reads as zeros, and `check` then returns an error.
        if !self.copy_from_file(from, piece) {
            piece.copy_from_slice(&self.bytes[from..from + piece.len()]);
        }
    }

    #[cfg(unix)]
    fn copy_from_file(&self, from: usize, piece: &mut [u8]) -> bool {
        use std::os::unix::fs::FileExt;
        self.file.read_exact_at(piece, from as u64).is_ok()
    }

    #[cfg(not(unix))]
    fn copy_from_file(&self, _: usize, _: &mut [u8]) -> bool {
        false
    }

    /// Tells the kernel that these bytes are no longer needed, so that a big file does not fill the
    /// program's memory. They can still be read.
    #[cfg(unix)]
    pub fn give_back(&self, from: usize, length: usize) {
        use memmap2::UncheckedAdvice::DontNeed;
        // SAFETY: pages of a read-only file map are read from the file again if they are touched.
        let declined = unsafe { self.bytes.unchecked_advise_range(DontNeed, from, length) };
        // The advice only saves memory, so a refusal does not matter.
        drop(declined);
    }

    /// Does nothing: this system has no such advice.
    #[cfg(not(unix))]
    pub fn give_back(&self, _: usize, _: usize) {}
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
