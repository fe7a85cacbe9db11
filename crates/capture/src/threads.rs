//! The ends of threads.

use std::panic::resume_unwind;
use std::thread::JoinHandle;

/// Waits for the result of a thread. A panic goes on here, so that nothing is lost without a word.
pub(crate) fn result_of<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
