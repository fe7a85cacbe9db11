//! Waits for threads.

use std::panic::resume_unwind;
use std::thread::JoinHandle;

/// Waits for the result of a thread. Panics if the thread panicked, so that no loss stays silent.
pub(crate) fn result_of<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
