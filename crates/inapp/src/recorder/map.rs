//! The memory-mapped file.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// A file that is mapped into memory, shared with every process that opens it.
#[derive(Debug)]
pub(crate) struct Map {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: all access goes through atomics, or through `write` before the map is shared.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Extends an empty file to `length` zero bytes and maps it.
    ///
    /// # Errors
    /// If the file cannot be mapped. A full disk is reported here; later it would be a fault.
    pub fn create(file: &File, length: usize) -> io::Result<Self> {
        file.set_len(length as u64)?;
        reserve(file, length)?;
        // SAFETY: creates a new mapping at an address that the system chooses.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(start.cast()) {
            Some(start) if start.as_ptr() as isize != -1 => Ok(Self { start, length }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The addresses at which the file is mapped.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.start.as_ptr().expose_provenance();
        start..start + self.length
    }

    /// Size of the file, bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Writes bytes, before the map is shared.
    pub fn write(&mut self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.length);
        // SAFETY: the range is within the mapping, and `&mut self` excludes other users.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.as_ptr().add(at), bytes.len())
        };
    }

    /// The number at `at`, a multiple of 4 within the map.
    #[inline]
    pub fn u32(&self, at: usize) -> &AtomicU32 {
        debug_assert!(at.is_multiple_of(4) && at + 4 <= self.length);
        // SAFETY: callers stay within the map. The mapping is page-aligned, so the address is aligned to 4. Once the
        // map is shared, it is only accessed atomically, and it lives as long as `self`.
        unsafe { AtomicU32::from_ptr(self.start.as_ptr().add(at).cast()) }
    }

    /// The number at `at`, a multiple of 8 within the map.
    #[inline]
    pub fn u64(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at.is_multiple_of(8) && at + 8 <= self.length);
        // SAFETY: as for `u32`.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(at).cast()) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: this owns the mapping, and nothing borrows from it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// Reserves the disk space now. Without space, a later write to a mapped page would kill the process.
fn reserve(file: &File, length: usize) -> io::Result<()> {
    // SAFETY: the file is open, and the call takes no pointers.
    let result = unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, length as libc::off_t) };
    if result == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // The file system cannot reserve space: write zeros instead.
        Some(libc::EOPNOTSUPP | libc::ENOSYS) => write_zeros(file, length),
        _ => Err(error),
    }
}

fn write_zeros(mut file: &File, length: usize) -> io::Result<()> {
    use std::io::Write;
    let zeros = [0; 1 << 16];
    let mut left = length;
    while left > 0 {
        let part = left.min(zeros.len());
        file.write_all(&zeros[..part])?;
        left -= part;
    }
    Ok(())
}
