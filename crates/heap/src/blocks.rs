//! dlmalloc behind a lock. It is a pthread mutex, which may be held across a fork; the standard library's mutex must
//! not be.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

use dlmalloc::Dlmalloc;

use crate::segments::Segments;

/// A memory arena shared by all threads.
pub struct Blocks {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    dlmalloc: UnsafeCell<Dlmalloc<Segments>>,
}

// SAFETY: only `with` uses dlmalloc, and it holds the lock while it does.
unsafe impl Sync for Blocks {}

// SAFETY: each call is forwarded to dlmalloc with the same arguments. dlmalloc meets the trait's requirements and does
// not panic.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: dlmalloc accepts any size and alignment.
        self.with(|blocks| unsafe { blocks.malloc(layout.size(), layout.align()) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.with(|blocks| unsafe { blocks.calloc(layout.size(), layout.align()) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees that the block and its layout are valid.
        self.with(|blocks| unsafe { blocks.free(block, layout.size(), layout.align()) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        self.with(|blocks| unsafe { blocks.realloc(block, layout.size(), layout.align(), size) })
    }
}

impl Blocks {
    /// An empty arena that takes its memory from these segments.
    pub const fn cut_from(segments: Segments) -> Self {
        let mut dlmalloc = Dlmalloc::new_with_allocator(segments);
        assert!(dlmalloc.set_granularity(Segments::LEAST));
        Self {
            lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
            dlmalloc: UnsafeCell::new(dlmalloc),
        }
    }

    #[inline]
    fn with<T>(&self, work: impl FnOnce(&mut Dlmalloc<Segments>) -> T) -> T {
        self.acquire();
        // SAFETY: the lock is held, so there is no other reference.
        let answer = work(unsafe { &mut *self.dlmalloc.get() });
        self.release();
        answer
    }

    /// Takes the lock; also called before a fork.
    pub fn acquire(&self) {
        // SAFETY: the mutex is initialized statically and never destroyed.
        unsafe { libc::pthread_mutex_lock(self.lock.get()) };
    }

    /// Releases the lock; also called after a fork, in the parent and the child.
    pub fn release(&self) {
        // SAFETY: as above. The thread that holds the lock calls this; in a child of a fork, its copy does.
        unsafe { libc::pthread_mutex_unlock(self.lock.get()) };
    }
}
