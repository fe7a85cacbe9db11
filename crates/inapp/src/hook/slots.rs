//! Changing a word that the linker filled in, whatever the protection of its page.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::elf::WORD;
use crate::loaded::Maps;

/// A word that was changed.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The original value.
    pub before: usize,
    /// The new value.
    pub ours: usize,
}

/// The current value of a word. The linker or another thread may change it at any time.
///
/// # Safety
///
/// `address` is an aligned, readable word of a library that stays loaded during the call.
pub unsafe fn load(address: usize) -> usize {
    let word = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: guaranteed by the caller.
    unsafe { AtomicUsize::from_ptr(word) }.load(Ordering::Acquire)
}

/// Stores `value` in a word atomically, so that a thread that calls through it sees the old or the new value. A read-only
/// page is made writable for the store.
///
/// # Errors
///
/// If the page cannot be made writable. Nothing has changed then.
///
/// # Safety
///
/// As for [`load`]; `maps` must hold the current protection of the page.
pub unsafe fn store(maps: &Maps, address: usize, value: usize) -> io::Result<()> {
    debug_assert!(address.is_multiple_of(WORD), "a word does not cross pages");
    let region = maps.find(address).ok_or(io::ErrorKind::NotFound)?;
    let closed = region.protection & libc::PROT_WRITE == 0;
    if closed {
        protect(address, region.protection | libc::PROT_WRITE)?;
    }
    let word = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the caller guarantees the word, and it is writable now.
    unsafe { AtomicUsize::from_ptr(word) }.store(value, Ordering::Release);
    if closed {
        // This cannot fail: it merges parts of a mapping instead of splitting one.
        protect(address, region.protection).ok();
    }
    Ok(())
}

/// Sets the protection of the page that contains `address`.
fn protect(address: usize, protection: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes no pointers.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let page = std::ptr::with_exposed_provenance_mut(address & !(size - 1));
    // SAFETY: the page belongs to a library. It gets additional rights, or its original ones back, so no user breaks.
    match unsafe { libc::mprotect(page, size, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
