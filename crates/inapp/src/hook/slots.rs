//! Changing a word that the linker filled in, whatever protects its page.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::elf::WORD;
use crate::loaded::Maps;

/// A word that was changed.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// What stood there.
    pub before: usize,
    /// What stands there now.
    pub ours: usize,
}

/// What stands in a word. The linker or another thread may change it at any time.
///
/// # Safety
///
/// `address` is an aligned word of a library that stays loaded during the call, and was found readable.
pub unsafe fn load(address: usize) -> usize {
    let word = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the caller vouches for the word.
    unsafe { AtomicUsize::from_ptr(word) }.load(Ordering::Acquire)
}

/// Puts `value` into a word, in one step, so that a thread that calls through it at this moment goes one way
/// or the other. Its page is made writable for that moment if it isn't, and is then protected as it was.
///
/// # Errors
///
/// The page cannot be made writable. Nothing has changed then.
///
/// # Safety
///
/// As for [`load`]; `maps` tell how its page is protected now.
pub unsafe fn store(maps: &Maps, address: usize, value: usize) -> io::Result<()> {
    debug_assert!(address.is_multiple_of(WORD), "a word does not cross pages");
    let region = maps.find(address).ok_or(io::ErrorKind::NotFound)?;
    let closed = region.protection & libc::PROT_WRITE == 0;
    if closed {
        protect(address, region.protection | libc::PROT_WRITE)?;
    }
    let word = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the caller vouches for the word, and it is writable now.
    unsafe { AtomicUsize::from_ptr(word) }.store(value, Ordering::Release);
    if closed {
        // It was so a moment ago, so it can be so again: parts of a mapping are joined, not split.
        protect(address, region.protection).ok();
    }
    Ok(())
}

/// Protects the page that `address` lies in.
fn protect(address: usize, protection: libc::c_int) -> io::Result<()> {
    // SAFETY: asks for a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let page = std::ptr::with_exposed_provenance_mut(address & !(size - 1));
    // SAFETY: a page of a library: with more than it had, or with what it had, nobody who uses it is disturbed.
    match unsafe { libc::mprotect(page, size, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
