//! Small blocks of a program that is linked with musl.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::Once;

use dlmalloc::Dlmalloc;

/// What is asked of the kernel at once; bytes. Only what is used of it takes memory.
const GRANULARITY: usize = 1 << 20;

/// dlmalloc, and a lock that may be held over a fork, which those of Rust's library may not.
struct Blocks {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    dlmalloc: UnsafeCell<Dlmalloc>,
}

// SAFETY: `with` alone reaches dlmalloc, and holds the lock meanwhile.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks {
    lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
    dlmalloc: UnsafeCell::new(empty()),
};

const fn empty() -> Dlmalloc {
    let mut dlmalloc = Dlmalloc::new();
    assert!(dlmalloc.set_granularity(GRANULARITY));
    dlmalloc
}

/// dlmalloc, one for all threads.
pub struct Small;

// SAFETY: each call goes on to dlmalloc with the same arguments, whose answers keep the trait's promises.
// It does not panic.
unsafe impl GlobalAlloc for Small {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and alignment may be asked for.
        with(|blocks| unsafe { blocks.malloc(layout.size(), layout.align()) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        with(|blocks| unsafe { blocks.calloc(layout.size(), layout.align()) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller vouches for the block and its layout.
        with(|blocks| unsafe { blocks.free(block, layout.size(), layout.align()) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        with(|blocks| unsafe { blocks.realloc(block, layout.size(), layout.align(), size) })
    }
}

#[inline]
fn with<T>(work: impl FnOnce(&mut Dlmalloc) -> T) -> T {
    acquire();
    // SAFETY: whoever holds the lock is alone with it.
    let answer = work(unsafe { &mut *BLOCKS.dlmalloc.get() });
    release();
    answer
}

extern "C" fn acquire() {
    // SAFETY: a lock that was made with the program, and is nobody else's.
    unsafe { libc::pthread_mutex_lock(BLOCKS.lock.get()) };
}

extern "C" fn release() {
    // SAFETY: as above; its holder calls this, in a child the copy of its holder.
    unsafe { libc::pthread_mutex_unlock(BLOCKS.lock.get()) };
}

/// Takes the lock around each fork.
pub fn over_forks() {
    static ONCE: Once = Once::new();
    // SAFETY: two functions that take and release a lock of the program's.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(acquire), Some(release), Some(release));
    });
}
