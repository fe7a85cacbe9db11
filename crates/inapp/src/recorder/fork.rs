//! Forked children. A child shares the mapped file with its parent and must not write to it.

use std::sync::atomic::Ordering;

use traceloom_ring::layout::header_at;

use super::current::{ACTIVE, CURRENT};
use super::session::Session;
use super::threads;

/// Called in a forked child: nothing is recorded until the child starts a recording itself.
pub(crate) fn stop_in_child() {
    ACTIVE.store(0, Ordering::Release);
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

/// Handles a thread whose slot was wiped by a fork. Either the recording belongs to the parent, or the child started a
/// recording itself; then the thread gets a new slot with its next event.
#[cold]
pub(crate) fn slot_was_wiped(session: &Session) {
    threads::forget_wiped_slot();
    if session.pid == std::process::id() {
        session.add(header_at::LOST_THREADS, 1);
    } else {
        stop_in_child();
    }
}
