//! The allocator of the programs.
//!
//! A table of a hundred megabytes is 25,000 pages of 4 KiB, and the kernel stops the program at the
//! first touch of each: big blocks ask for huge pages (`huge`). Blocks of some pages, as the chunks of
//! columns are, are cut from long segments that ask for them too (`segments`): the C libraries map each
//! alone. The biggest stay with the system's allocator, which maps them one by one, so that the kernel
//! moves them when they grow. Small ones are the system's too, but for a program that is linked with
//! musl: its allocator asks the kernel for every few pages and gives them back at once, so there small
//! blocks are dlmalloc's.

#[cfg(target_os = "linux")]
mod blocks;
#[cfg(target_os = "linux")]
mod forks;
mod huge;
#[cfg(target_os = "linux")]
mod segments;

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(not(target_env = "musl"))]
static SMALL: System = System;
#[cfg(target_env = "musl")]
static SMALL: blocks::Blocks = blocks::Blocks::cut_from(segments::Segments::short());

#[cfg(not(target_os = "linux"))]
static MIDDLE: System = System;
#[cfg(target_os = "linux")]
static MIDDLE: blocks::Blocks = blocks::Blocks::cut_from(segments::Segments::growing());

/// Blocks below this are small; bytes. A chunk of a column of bytes is not.
const NOT_SMALL: usize = 64 << 10;
/// From here on blocks are the system's, which maps them alone; bytes. The kernel moves them when they grow, where
/// others are copied.
#[cfg(not(target_env = "musl"))]
const BIG: usize = 1 << 20;
/// musl maps and unmaps each: buffers of a megabyte come and go, and every time the kernel would have to find their
/// pages again.
#[cfg(target_env = "musl")]
const BIG: usize = 4 << 20;

/// The allocator. It has no state of its own: `#[global_allocator]` takes it as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// The allocator that has the blocks of a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Small,
    Middle,
    Big,
}

impl Of {
    #[inline]
    const fn size(size: usize) -> Self {
        match size {
            0..NOT_SMALL => Self::Small,
            NOT_SMALL..BIG => Self::Middle,
            _ => Self::Big,
        }
    }
}

// SAFETY: every call goes on with the same arguments to one of three allocators, the one that made the
// block, which its size tells; the answer is returned as it is. `moved` keeps what a block held.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        unsafe {
            match Of::size(layout.size()) {
                Of::Small => SMALL.alloc(layout),
                Of::Middle => MIDDLE.alloc(layout),
                Of::Big => huge::advised(System.alloc(layout), layout.size()),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        unsafe {
            match Of::size(layout.size()) {
                Of::Small => SMALL.alloc_zeroed(layout),
                Of::Middle => MIDDLE.alloc_zeroed(layout),
                Of::Big => huge::advised(System.alloc_zeroed(layout), layout.size()),
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on; a block of this size is from there.
        unsafe {
            match Of::size(layout.size()) {
                Of::Small => SMALL.dealloc(block, layout),
                Of::Middle => MIDDLE.dealloc(block, layout),
                Of::Big => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are passed on; a block of this size is from there.
        unsafe {
            match (Of::size(layout.size()), Of::size(size)) {
                (Of::Small, Of::Small) => SMALL.realloc(block, layout, size),
                (Of::Middle, Of::Middle) => MIDDLE.realloc(block, layout, size),
                (Of::Big, Of::Big) => huge::advised(System.realloc(block, layout, size), size),
                _ => self.moved(block, layout, size),
            }
        }
    }
}

impl Heap {
    /// From now on children of a fork may allocate, though a thread that they have not may have been about to. A
    /// program that forks calls this at its start; C libraries take care of it themselves.
    pub fn over_forks() {
        #[cfg(target_os = "linux")]
        forks::survive();
    }

    /// The block in the other allocator, with what it held; null, and the block as it was, where there
    /// is no memory.
    ///
    /// # Safety
    ///
    /// As of [`GlobalAlloc::realloc`].
    #[cold]
    unsafe fn moved(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a size that such a layout may have, and that isn't zero.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: two blocks, each at least as long as what is copied; the old one is the caller's
            // until here, and never used again.
            unsafe {
                block.copy_to_nonoverlapping(new, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::{BIG, Heap, NOT_SMALL};

    #[global_allocator]
    static HEAP: Heap = Heap;

    /// Sizes around the border between the allocators, and around huge pages.
    const SIZES: [usize; 9] = [
        1,
        100,
        NOT_SMALL - 1,
        NOT_SMALL,
        200 << 10,
        BIG - 1,
        BIG,
        BIG + 1,
        2 * BIG,
    ];

    #[test]
    fn a_block_keeps_what_it_held_wherever_it_goes() {
        let longest = SIZES.into_iter().max().unwrap_or_default();
        let text: Vec<u8> = (0..longest).map(|at| (at * 7 + at / 251) as u8).collect();
        for from in SIZES {
            for to in SIZES {
                let mut block = Vec::with_capacity(from);
                block.extend_from_slice(&text[..from]);
                block.truncate(to);
                block.shrink_to_fit();
                block.reserve_exact(to - block.len());
                assert!(block[..] == text[..from.min(to)], "{from} to {to}");
            }
        }
    }

    #[test]
    fn zeroed_blocks_are_zero_though_others_were_there() {
        for size in SIZES {
            drop(vec![0xff_u8; size]);
            let zeroed = vec![0_u8; size];
            let is_zero = |part: &[u8]| part == &[0; 4096][..part.len()];
            assert!(zeroed.chunks(4096).all(is_zero), "{size}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn children_allocate_though_other_threads_were_about_to() {
        use std::sync::atomic::{AtomicBool, Ordering};

        Heap::over_forks();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        drop(std::hint::black_box(vec![1_u8; 100]));
                        drop(std::hint::black_box(vec![1_u8; NOT_SMALL]));
                    }
                });
            }
            let ends: Vec<i32> = (0..300).map(|_| fork_and_allocate()).collect();
            done.store(true, Ordering::Relaxed);
            assert_eq!(ends, [0; 300]);
        });
    }

    /// How a child ended that allocates: 0, or the alarm that ends one that waits for ever.
    #[cfg(target_os = "linux")]
    fn fork_and_allocate() -> i32 {
        // SAFETY: the child does nothing but allocate, which is what is tested, and ends at once.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY: no handler is set for it.
                unsafe { libc::alarm(20) };
                drop(std::hint::black_box(vec![1_u8; 1000]));
                drop(std::hint::black_box(vec![1_u8; NOT_SMALL]));
                // SAFETY: ends the child.
                unsafe { libc::_exit(0) }
            }
            pid => {
                let mut status = -1;
                // SAFETY: waits for the child above.
                unsafe { libc::waitpid(pid, &raw mut status, 0) };
                status
            }
        }
    }

    #[test]
    fn blocks_are_aligned_as_asked() {
        #[repr(align(4096))]
        struct Page([u8; 4096]);
        for pages in [1, 31, 32, 33, 5000] {
            let block: Vec<Page> = Vec::with_capacity(pages);
            assert_eq!(block.as_ptr().addr() % 4096, 0, "{pages}");
            _ = Page([0; 4096]).0;
        }
    }
}
