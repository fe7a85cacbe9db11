//! The running recording, and guarded access to it.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use super::session::Session;

/// The running recording; null if there is none.
pub(crate) static CURRENT: AtomicPtr<Session> = AtomicPtr::new(std::ptr::null_mut());

/// Number of the recording that accepts events; 0 for none. After a fault this is 0, but
/// [`CURRENT`] is set until the recording is stopped.
pub(crate) static ACTIVE: AtomicU64 = AtomicU64::new(0);

/// Whether anything is recorded.
#[inline(always)]
pub fn is_recording() -> bool {
    ACTIVE.load(Ordering::Relaxed) != 0
}

/// Whether methods are recorded with CPU time. A separate static, because the recording must not be read unguarded.
pub(crate) static CPU_TIME: AtomicBool = AtomicBool::new(false);

/// Whether methods are recorded with the thread's CPU time.
#[inline(always)]
pub(crate) fn records_cpu_time() -> bool {
    CPU_TIME.load(Ordering::Relaxed)
}

static IS_LOCKED: AtomicBool = AtomicBool::new(false);

/// Held while a recording is started, stopped or saved. Not a `Mutex`, because a forked child must be able to release
/// it.
pub(crate) struct Lock;

impl Lock {
    pub fn take() -> Self {
        while IS_LOCKED.swap(true, Ordering::Acquire) {
            std::thread::sleep(Duration::from_micros(200));
        }
        Self
    }

    /// Releases the lock in a forked child, where no thread holds it any more.
    pub fn reset_in_child() {
        IS_LOCKED.store(false, Ordering::Release);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        IS_LOCKED.store(false, Ordering::Release);
    }
}

/// Calls `with` with the current recording if there is one. The recording cannot be stopped during
/// the call.
pub(crate) fn with_current<T>(with: impl FnOnce(&Session) -> T) -> Option<T> {
    let _lock = Lock::take();
    if !is_recording() {
        return None;
    }
    // SAFETY: a recording is freed only by a thread that holds the lock.
    let session = unsafe { CURRENT.load(Ordering::Acquire).as_ref() };
    session.map(with)
}
