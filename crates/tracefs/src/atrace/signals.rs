//! The signals that end a recording.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Stop;

static STOP: OnceLock<Stop> = OnceLock::new();
static IGNORED: AtomicBool = AtomicBool::new(false);

/// What a signal asks to stop; the program has one.
pub(super) fn stop() -> io::Result<&'static Stop> {
    if STOP.get().is_none() {
        let _ = STOP.set(Stop::new()?);
    }
    STOP.get().ok_or_else(|| io::Error::other("no stop"))
}

/// Catches the signals that the terminal, the shell and adb send. With `ignored`, they come and
/// change nothing.
pub(super) fn catch(ignored: bool) {
    IGNORED.store(ignored, Ordering::Relaxed);
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: a sigaction of zeros is an empty mask without flags; the handler only does what
        // is safe at any time: it reads atomics and writes a byte to a pipe.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn handle(_signal: libc::c_int) {
    if let (false, Some(stop)) = (IGNORED.load(Ordering::Relaxed), STOP.get()) {
        stop.ask();
    }
}
