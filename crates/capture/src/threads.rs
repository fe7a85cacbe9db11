//! The ends of threads.

use std::panic::resume_unwind;
use std::thread::JoinHandle;

/// Waits for the result of a thread. If the thread panicked, this panics too, so that no loss stays silent.
pub(crate) fn result_of<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
