//! dlmalloc behind a pthread mutex, which may be held across a fork; the standard library's may not.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

use dlmalloc::Dlmalloc;

use crate::segments::Segments;

/// A memory arena shared by all threads.
pub struct Blocks {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    dlmalloc: UnsafeCell<Dlmalloc<Segments>>,
}

// SAFETY: `with` alone reaches dlmalloc, and holds the lock meanwhile.
unsafe impl Sync for Blocks {}

// SAFETY: each call goes on to dlmalloc with the same arguments, whose answers keep the trait's promises.
// It does not panic.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and alignment may be asked for.
        self.with(|blocks| unsafe { blocks.malloc(layout.size(), layout.align()) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.with(|blocks| unsafe { blocks.calloc(layout.size(), layout.align()) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller vouches for the block and its layout.
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
        // SAFETY: whoever holds the lock is alone with it.
        let answer = work(unsafe { &mut *self.dlmalloc.get() });
        self.release();
        answer
    }

    /// Takes the lock; also called before a fork.
    pub fn acquire(&self) {
        // SAFETY: a lock that was made with the program, and is nobody else's.
        unsafe { libc::pthread_mutex_lock(self.lock.get()) };
    }

    /// Releases the lock; also called after a fork, in the parent and the child.
    pub fn release(&self) {
        // SAFETY: as above; its holder calls this, in a child the copy of its holder.
        unsafe { libc::pthread_mutex_unlock(self.lock.get()) };
    }
}
