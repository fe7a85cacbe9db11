//! Runs long work without the interpreter's lock, and stops it at Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Time between two checks for signals. A result is passed on at once.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` in a separate thread. If a signal's handler raises an exception, calls `stop` and raises that exception;
/// the thread then ends by itself.
///
/// # Errors
/// If a signal's handler raises, or `work` panics.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: impl Fn(),
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let named = thread::Builder::new().name("traceloom".to_owned());
    named.spawn(move || {
        // Nobody waits for the result after Ctrl-C.
        _ = sender.send(work());
    })?;
    let receiver = Mutex::new(receiver);
    loop {
        match py.detach(|| wait(&receiver)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals() {
                    stop();
                    return Err(raised);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = "traceloom failed; this is a mistake in traceloom, please report it";
                return Err(PyRuntimeError::new_err(message));
            }
        }
    }
}

fn wait<T>(receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    receiver.recv_timeout(LOOK)
}
