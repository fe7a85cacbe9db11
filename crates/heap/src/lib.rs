//! The allocator of the programs.
//!
//! A table of a hundred megabytes is 25,000 pages of 4 KiB, and the kernel stops the program at the
//! first touch of each: big blocks ask for huge pages (`huge`). A program that is linked with musl has
//! an allocator that asks the kernel for every block of some pages and gives it back at once: there
//! small blocks are dlmalloc's. The system's keeps the big ones, which it maps one by one, so that the
//! kernel moves them when they grow.

mod huge;
#[cfg(target_env = "musl")]
mod small;

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(not(target_env = "musl"))]
use System as Small;
#[cfg(target_env = "musl")]
use small::Small;

/// Blocks below this are [`Small`]'s; bytes. musl maps each bigger one alone. It would do so from 128 KiB on, but buffers
/// of a megabyte come and go, and every time the kernel would have to find their pages again.
const SMALL: usize = 4 << 20;

/// The allocator. It has no state of its own: `#[global_allocator]` takes it as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

// SAFETY: every call goes on with the same arguments to one of two allocators, the one that made the
// block, which its size tells; the answer is returned as it is. `moved` keeps what a block held.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < SMALL {
            // SAFETY: the caller's promises are passed on.
            return unsafe { Small.alloc(layout) };
        }
        // SAFETY: the caller's promises are passed on.
        huge::advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() < SMALL {
            // SAFETY: the caller's promises are passed on.
            return unsafe { Small.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's promises are passed on.
        huge::advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() < SMALL {
            // SAFETY: the caller's promises are passed on; a block of this size is from there.
            unsafe { Small.dealloc(block, layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (was_small, is_small) = (layout.size() < SMALL, size < SMALL);
        // Where both are the same allocator, nothing has to change hands.
        let one_allocator = cfg!(not(target_env = "musl"));
        if was_small && is_small {
            // SAFETY: the caller's promises are passed on; a block of this size is from there.
            unsafe { Small.realloc(block, layout, size) }
        } else if was_small == is_small || one_allocator {
            // SAFETY: as above.
            huge::advised(unsafe { System.realloc(block, layout, size) }, size)
        } else {
            // SAFETY: as above.
            unsafe { self.moved(block, layout, size) }
        }
    }
}

impl Heap {
    /// From now on children of a fork may allocate, though a thread that they have not may have been about to. A
    /// program that forks calls this at its start; C libraries take care of it themselves.
    pub fn over_forks() {
        #[cfg(target_env = "musl")]
        small::over_forks();
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
    use super::{Heap, SMALL};

    #[global_allocator]
    static HEAP: Heap = Heap;

    /// Sizes around the border between the allocators, and around huge pages.
    const SIZES: [usize; 7] = [1, 100, 200 << 10, SMALL - 1, SMALL, SMALL + 1, 2 * SMALL];

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
