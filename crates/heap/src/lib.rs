//! The allocator of the program: it asks the kernel for huge pages for big tables.
//!
//! It is our own because no other allocator measured comes close in both time and memory. Relative to
//! this one, glibc's takes 1.4 to 1.5 times as long to fill the full model from 10 million records, if the
//! kernel has huge pages available, and 1.2 times for a profile of all-new call paths. musl's takes 1.4 and
//! 1.2 times as long. mimalloc 3 takes 1.3 to 2.2 times the memory, and jemalloc with `thp:always` 1.2 to 1.5
//! times. `docs/performance.md` has the table, also of inputs for which glibc's is as fast. The instructions are the same; the difference is page faults: a table of 100 MB is 25,000
//! pages of 4 KB, and the kernel stops the program at the first touch of each.
//!
//! ```text
//! small   < 64 KB           the system's allocator; with musl dlmalloc, as musl returns every few pages
//! middle  < 1 MB (musl 4)   dlmalloc, cut from long segments on huge pages (`segments`)
//! big                       the system's, mapped one by one, with advice for huge pages (`huge`)
//! ```
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arenas;
#[cfg(target_os = "linux")]
mod blocks;
#[cfg(target_os = "linux")]
mod forks;
mod huge;
#[cfg(target_os = "linux")]
mod segments;

use std::alloc::{GlobalAlloc, Layout, System};

use arenas::{MIDDLE, SMALL};

/// Blocks below this size are small, bytes. A chunk of a byte column (65,536 rows) is not small.
const NOT_SMALL: usize = 64 << 10;
/// Blocks from this size on are big, bytes. The kernel moves them when they grow instead of copying.
#[cfg(not(target_env = "musl"))]
const BIG: usize = 1 << 20;
/// musl maps and unmaps every big block. Buffers of a megabyte are short-lived, so they stay middle blocks.
#[cfg(target_env = "musl")]
const BIG: usize = 4 << 20;

/// The allocator, for `#[global_allocator]`. It has no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// Which allocator owns the blocks of a size.
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

// SAFETY: every call is forwarded with the same arguments to one of three allocators. The size of a block shows which
// of them made it. `moved` copies the content.
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
        // SAFETY: the caller's promises are passed on. A block of this size comes from this allocator.
        unsafe {
            match Of::size(layout.size()) {
                Of::Small => SMALL.dealloc(block, layout),
                Of::Middle => MIDDLE.dealloc(block, layout),
                Of::Big => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are passed on. A block of this size comes from this allocator.
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
    /// Makes allocation safe in the child of a fork, even if another thread was allocating. A program that
    /// forks calls this once at its start.
    pub fn over_forks() {
        #[cfg(target_os = "linux")]
        forks::survive();
    }

    /// Moves a block to the allocator of its new size. Returns null, and keeps the block, if there is no
    /// memory.
    ///
    /// # Safety
    ///
    /// As for [`GlobalAlloc::realloc`].
    #[cold]
    unsafe fn moved(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is not zero and is valid for this alignment.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: both blocks are at least as long as the copied bytes. The caller owns the old block and does not
            // use it again.
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
    fn a_block_keeps_its_content_when_it_moves() {
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
    fn zeroed_blocks_are_zero_in_reused_memory() {
        for size in SIZES {
            drop(vec![0xff_u8; size]);
            let zeroed = vec![0_u8; size];
            let is_zero = |part: &[u8]| part == &[0; 4096][..part.len()];
            assert!(zeroed.chunks(4096).all(is_zero), "{size}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_child_allocates_although_other_threads_held_the_locks() {
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

    /// The exit status of a child that allocates: 0, or `SIGALRM` if the child hung.
    #[cfg(target_os = "linux")]
    fn fork_and_allocate() -> i32 {
        // SAFETY: the child only allocates, which is tested here, and exits.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY: `SIGALRM` has no handler, so it ends a child that hangs.
                unsafe { libc::alarm(20) };
                drop(std::hint::black_box(vec![1_u8; 1000]));
                drop(std::hint::black_box(vec![1_u8; NOT_SMALL]));
                // SAFETY: ends the child without running exit handlers.
                unsafe { libc::_exit(0) }
            }
            pid => {
                let mut status = -1;
                // SAFETY: waits for the child; `status` outlives the call.
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

/// The example of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
