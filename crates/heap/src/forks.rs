//! Takes the locks around a fork. The child has only one thread, so a lock that another thread held would never be
//! released in it.

use std::sync::Once;

use crate::arenas::MIDDLE;
#[cfg(target_env = "musl")]
use crate::arenas::SMALL;

/// Registers the handlers that take the locks around each fork.
pub fn survive() {
    static ONCE: Once = Once::new();
    // SAFETY: the handlers only take and release locks of this crate.
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
