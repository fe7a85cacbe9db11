//! Small blocks of a program that is linked with musl.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;

/// What is asked of the kernel at once; bytes. Only what is used of it takes memory.
const GRANULARITY: usize = 1 << 20;

static BLOCKS: Mutex<Dlmalloc> = Mutex::new(empty());

const fn empty() -> Dlmalloc {
    let mut blocks = Dlmalloc::new();
    assert!(blocks.set_granularity(GRANULARITY));
    blocks
}

/// dlmalloc, one for all threads.
pub struct Small;

// SAFETY: each call goes on to dlmalloc with the same arguments, whose answers keep the trait's promises.
// It does not panic, and the lock neither allocates nor panics.
unsafe impl GlobalAlloc for Small {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and alignment may be asked for.
        unsafe { blocks().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { blocks().calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller vouches for the block and its layout.
        unsafe { blocks().free(block, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { blocks().realloc(block, layout.size(), layout.align(), size) }
    }
}

fn blocks() -> MutexGuard<'static, Dlmalloc> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}
