//! Advises the kernel to use huge pages for big blocks, which saves page faults and TLB misses. It takes effect if the
//! kernel offers huge pages on request (`madvise`, the default of most distributions).

/// Minimum size of a block to advise huge pages for, bytes. Smaller blocks contain hardly a whole huge page.
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
    // All pages that hold a part of the block. The kernel can move a mapping when the block grows only if all its pages
    // have the same advice.
    let before = block.addr() % PAGE;
    let pages = (before + size).next_multiple_of(PAGE);
    // SAFETY: the pages hold parts of the block, so they are mapped, and the advice does not change their content. A
    // kernel without huge pages refuses, which does no harm.
    unsafe { libc::madvise(block.sub(before).cast(), pages, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}
