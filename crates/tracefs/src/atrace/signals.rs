//! Signals that stop a recording.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::StopSignal;

static STOP: OnceLock<StopSignal> = OnceLock::new();
static IGNORED: AtomicBool = AtomicBool::new(false);

/// The request that the signal handler sets.
pub(super) fn stop_signal() -> io::Result<&'static StopSignal> {
    if STOP.get().is_none() {
        let _ = STOP.set(StopSignal::new()?);
    }
    STOP.get().ok_or_else(|| io::Error::other("no stop signal"))
}

/// Catches the signals of the terminal, the shell and adb. With `ignored` they have no effect.
pub(super) fn catch(ignored: bool) {
    IGNORED.store(ignored, Ordering::Relaxed);
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: a zeroed sigaction is valid: an empty mask and no flags. The handler is
        // async-signal-safe: it reads atomics and writes a byte to a pipe.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn handle(_signal: libc::c_int) {
    if let (false, Some(stop)) = (IGNORED.load(Ordering::Relaxed), STOP.get()) {
        stop.request();
    }
}
