//! Advises the kernel to use huge pages for big blocks, which takes effect if it offers them on request
//! (`madvise`, the default of most distributions): fewer page faults and fewer TLB misses.

/// Smaller blocks contain hardly a whole huge page, bytes.
const ASK_FROM: usize = 4 << 20;

/// Returns the block, after advising huge pages if it is big.
#[inline]
pub fn advised(block: *mut u8, size: usize) -> *mut u8 {
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
