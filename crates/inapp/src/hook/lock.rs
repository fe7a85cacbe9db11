//! A lock that stores its owner and survives a fork. With `std::sync::Mutex`, a thread cannot check whether it holds
//! the lock itself, and a forked child cannot release it.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI32, Ordering};

/// A lock that is held rarely and briefly, so waiting threads just yield. Lock order: the linker's lock first, then this
/// one. A thread that holds this lock never waits for the linker's.
pub struct Lock<T> {
    /// Thread id of the holder, or 0.
    owner: AtomicI32,
    value: UnsafeCell<T>,
}

// SAFETY: the value is accessed only through a `Guard`, and there is at most one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

pub struct Guard<'a, T>(&'a Lock<T>);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self {
            owner: AtomicI32::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits for the lock. The calling thread must not hold it.
    pub fn lock(&self) -> Guard<'_, T> {
        self.acquire();
        Guard(self)
    }

    /// Whether the calling thread holds the lock. Code called by the holder (an allocator that looks up a function, for
    /// example) must not wait for it.
    pub fn is_mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == thread_id()
    }

    /// Takes the lock without a guard, before a fork.
    pub fn acquire(&self) {
        let me = thread_id();
        let take = || {
            self.owner
                .compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed)
        };
        while take().is_err() {
            // SAFETY: the call touches no memory.
            unsafe { libc::sched_yield() };
        }
    }

    /// Releases the lock without a guard, after a fork.
    pub fn release(&self) {
        self.owner.store(0, Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held as long as the guard lives.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held as long as the guard lives, and the guard is borrowed exclusively.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

fn thread_id() -> i32 {
    // SAFETY: the system call has no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}
