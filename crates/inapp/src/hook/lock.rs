//! One scan at a time: a lock that knows its thread and outlives a fork.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

/// A lock that is held for short and seldom, so that waiting is giving way. Order: the linker's lock first,
/// then this one. Whoever holds this one never waits for the linker's.
pub struct Lock<T> {
    /// Thread id of the holder, or zero.
    owner: AtomicI32,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through a `Guard`, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

pub struct Guard<'a, T>(&'a Lock<T>);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self {
            owner: AtomicI32::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits for the lock. The thread must not hold it.
    pub fn lock(&self) -> Guard<'_, T> {
        self.acquire();
        Guard(self)
    }

    /// Whether this thread holds it: what runs below its holder (an allocator that looks up a function, say)
    /// must not wait for it.
    pub fn is_mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == thread_id()
    }

    fn acquire(&self) {
        let me = thread_id();
        let take = || {
            self.owner
                .compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed)
        };
        while take().is_err() {
            // SAFETY: gives way to other threads, touches no memory.
            unsafe { libc::sched_yield() };
        }
    }

    fn release(&self) {
        self.owner.store(0, Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock as long as the guard lives.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread holds the lock as long as the guard lives, and the guard is borrowed alone.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

fn thread_id() -> i32 {
    // SAFETY: takes nothing, cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Takes the state's lock around each fork, so that a child never finds it held by a thread that it doesn't
/// have, nor the state half changed.
pub fn over_forks() {
    static ONCE: Once = Once::new();
    unsafe extern "C" fn before() {
        super::scan::STATE.acquire();
    }
    unsafe extern "C" fn after() {
        super::scan::STATE.release();
    }
    // SAFETY: the handlers take and release a static lock, and this crate's library is never unloaded once it
    // has hooked another.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after), Some(after));
    });
}
