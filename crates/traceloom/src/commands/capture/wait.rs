//! Until when it is recorded: a time, Enter, or Ctrl-C.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Why recording ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The time is over.
    Time,
    /// Somebody pressed Enter, or standard input ended.
    Enter,
    /// What was waited for has happened.
    Trigger,
    /// Ctrl-C, or another signal that asks to end.
    Signal,
    /// Somebody asked for it in the page that shows it.
    Page,
    /// What is recorded comes no more: the device was lost.
    BrokeOff,
}

/// Listens for what ends a recording, from its start on.
pub struct Wait {
    events: Receiver<Ended>,
    sender: Sender<Ended>,
}

impl Wait {
    /// From now on signals end the recording, not the program; the second one does.
    pub fn new() -> Self {
        let (sender, events) = channel();
        let asked = sender.clone();
        signals::listen(move || _ = asked.send(Ended::Signal));
        Self { events, sender }
    }

    /// Waits for Ctrl-C alone.
    pub fn for_signal(&self) {
        while !matches!(self.events.recv(), Ok(Ended::Signal) | Err(_)) {}
    }

    /// Whoever has this may end the recording.
    pub fn sender(&self) -> Sender<Ended> {
        self.sender.clone()
    }

    /// Waits for whatever ends it, for a time.
    pub fn next(&self, time: Duration) -> Option<Ended> {
        match self.events.recv_timeout(time) {
            Ok(ended) => Some(ended),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Ended::Time),
        }
    }

    /// From now on Enter ends it too. The end of standard input counts as Enter, unless something
    /// `else_is_awaited`: a recording in the background has no input at all.
    pub fn listen_for_enter(&self, else_is_awaited: bool) {
        let sender = self.sender.clone();
        // It may wait for ever; it ends with the program.
        thread::spawn(move || {
            let read = std::io::stdin().lock().read_line(&mut String::new());
            if !else_is_awaited || matches!(read, Ok(1..)) {
                _ = sender.send(Ended::Enter);
            }
        });
    }
}

#[cfg(target_os = "linux")]
mod signals {
    use std::io::Read;
    use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::thread;

    /// The end of the pipe that the handler writes to.
    static PIPE: AtomicI32 = AtomicI32::new(-1);

    /// A handler may do little: it writes a byte.
    extern "C" fn handle(_: libc::c_int) {
        let byte = 1u8;
        // SAFETY: write is allowed in a handler; the byte lives through the call, and a
        // descriptor that is closed gives an error that nobody needs.
        unsafe { libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1) };
    }

    /// Calls `asked` from another thread with each signal that asks to end, once; then they do
    /// what they always did.
    pub fn listen(asked: impl Fn() + Send + 'static) {
        let Some((mut read, write)) = pipe() else {
            return;
        };
        PIPE.store(write.as_raw_fd(), Ordering::Relaxed);
        // The handler needs it as long as the program runs.
        _ = write.into_raw_fd();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            install(signal);
        }
        thread::spawn(move || {
            if read.read_exact(&mut [0]).is_ok() {
                asked();
            }
        });
    }

    fn install(signal: libc::c_int) {
        // SAFETY: an action of zeros is a valid one; the handler does only what handlers may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            // The second one ends the program, and calls are not broken off by the first.
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }

    fn pipe() -> Option<(std::fs::File, OwnedFd)> {
        let mut ends = [0; 2];
        // SAFETY: pipe2 fills two descriptors, and only then are they taken over.
        unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
                return None;
            }
            let [read, write] = ends.map(|end| OwnedFd::from_raw_fd(end));
            Some((read.into(), write))
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod signals {
    /// Elsewhere Ctrl-C ends the program; Enter and a time end a recording.
    pub fn listen(asked: impl Fn() + Send + 'static) {
        _ = asked;
    }
}
