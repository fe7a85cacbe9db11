//! A child of a fork has one thread, and may allocate though another held a lock: whoever forks takes them first.

use std::sync::Once;

use crate::MIDDLE;
#[cfg(target_env = "musl")]
use crate::SMALL;

/// Takes the locks around each fork.
pub fn survive() {
    static ONCE: Once = Once::new();
    // SAFETY: two functions that take and release locks of the program's.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(acquire), Some(release), Some(release));
    });
}

extern "C" fn acquire() {
    #[cfg(target_env = "musl")]
    SMALL.acquire();
    MIDDLE.acquire();
}

extern "C" fn release() {
    MIDDLE.release();
    #[cfg(target_env = "musl")]
    SMALL.release();
}
