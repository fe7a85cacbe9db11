//! A forked child shares the file's memory with its parent, and must leave it alone.

use std::sync::Once;
use std::sync::atomic::Ordering;

use traceloom_ring::layout::header_at;

use super::lifecycle;
use super::session::Session;
use super::threads;
use super::write::CURRENT;

/// Sees to it that children don't record. Before anything is recorded.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    // SAFETY: the handler calls nothing but atomics.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
}

extern "C" fn in_child() {
    stop();
    lifecycle::reset();
}

/// This is a child: nothing is recorded until it starts a recording of its own.
fn stop() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

/// The thread's slot is from before a fork: either the recording is the parent's, or the child started one of its
/// own, and the thread gets a slot with its next event.
#[cold]
pub(crate) fn found_in(session: &Session) {
    threads::forget();
    if session.pid == std::process::id() {
        session.count(header_at::LOST_THREADS, 1);
    } else {
        stop();
    }
}
