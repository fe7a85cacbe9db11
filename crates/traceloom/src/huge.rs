//! Big tables on huge pages.
//!
//! A table of a hundred megabytes is 25,000 pages of 4 KiB, and the kernel stops the program at the
//! first touch of each. Where it offers huge pages to those who ask (`madvise`, the default of most
//! distributions), memory of at least [`ASK_FROM`] bytes asks: fewer stops, fewer misses of the
//! address cache.

use std::alloc::{GlobalAlloc, Layout, System};

/// Below this a table has hardly a whole huge page; bytes.
const ASK_FROM: usize = 4 << 20;

/// The system's allocator, whose big blocks ask for huge pages.
pub struct HugePages;

// SAFETY: every call goes on to the system's allocator with the same arguments, and its answer is
// returned as it is; the advice between changes no byte of memory and does not allocate.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        advised(unsafe { System.realloc(block, layout, size) }, size)
    }
}

/// The same block; asks for huge pages where it is big.
#[inline]
fn advised(block: *mut u8, size: usize) -> *mut u8 {
    if size >= ASK_FROM && !block.is_null() {
        advise(block, size);
    }
    block
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(block: *mut u8, size: usize) {
    const PAGE: usize = 4 << 10;
    // Whole pages from the block's first byte to its last: a mapping that keeps one kind of pages
    // is one the kernel can move when the block grows.
    let before = block.addr() % PAGE;
    let pages = (before + size).next_multiple_of(PAGE);
    // SAFETY: the pages hold parts of the block, so they are mapped; how they are backed changes
    // nothing that the program can see. A kernel without huge pages declines, which loses nothing.
    unsafe { libc::madvise(block.sub(before).cast(), pages, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}
