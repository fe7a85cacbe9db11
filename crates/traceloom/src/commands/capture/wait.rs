//! The end of a recording: a timeout, Enter, Ctrl-C, a trigger, or the page.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::progress::print_line;

/// Why a recording ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The time is up.
    Time,
    /// Enter was pressed, or standard input ended.
    Enter,
    /// The trigger of `--until` fired.
    Trigger,
    /// Ctrl-C, or another termination signal.
    Signal,
    /// The recorded command has ended.
    Command,
    /// It was stopped in the page.
    Page,
    /// The data stream ended: the device was lost.
    BrokeOff,
}

/// Waits for the end of a recording, from its start on.
pub struct Wait {
    events: Receiver<Ended>,
    sender: Sender<Ended>,
}

impl Wait {
    /// Creates the receiver. From now on, the first signal ends the recording, and the second
    /// signal ends the program.
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

    /// A sender that may end the recording.
    pub fn sender(&self) -> Sender<Ended> {
        self.sender.clone()
    }

    /// Waits until something ends the recording, at most for `time`.
    pub fn next(&self, time: Duration) -> Option<Ended> {
        match self.events.recv_timeout(time) {
            Ok(ended) => Some(ended),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Ended::Time),
        }
    }

    /// Runs a command. The recording ends with it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self, command: &[String]) -> std::io::Result<()> {
        let (program, args) = command
            .split_first()
            .ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut child = std::process::Command::new(program).args(args).spawn()?;
        let sender = self.sender.clone();
        thread::spawn(move || {
            if let Ok(status) = child.wait()
                && !status.success()
            {
                print_line(&format!(
                    "Warning: the recorded command ended with {status}"
                ));
            }
            _ = sender.send(Ended::Command);
        });
        Ok(())
    }

    /// From now on Enter ends the recording too. The end of standard input counts as Enter unless
    /// `else_is_awaited`, because a recording in the background has no input.
    pub fn listen_for_enter(&self, else_is_awaited: bool) {
        let sender = self.sender.clone();
        // The thread may wait forever; it ends with the program.
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

    /// The end of the pipe that the signal handler writes to.
    static PIPE: AtomicI32 = AtomicI32::new(-1);

    /// The signal handler. Little is allowed in it, so it only writes one byte.
    extern "C" fn handle(_: libc::c_int) {
        let byte = 1u8;
        // SAFETY: `write` is async-signal-safe and the byte outlives the call. A closed descriptor
        // gives an error, which is ignored.
        unsafe { libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1) };
    }

    /// Calls `asked` on another thread at the first termination signal. Later signals have their
    /// default effect.
    pub fn listen(asked: impl Fn() + Send + 'static) {
        let Some((mut read, write)) = pipe() else {
            return;
        };
        PIPE.store(write.as_raw_fd(), Ordering::Relaxed);
        // The handler needs the pipe until the program ends.
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
        // SAFETY: a zeroed action is valid, and the handler is async-signal-safe.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            // The second signal ends the program, and the first does not interrupt system calls.
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }

    fn pipe() -> Option<(std::fs::File, OwnedFd)> {
        let mut ends = [0; 2];
        // SAFETY: pipe2 fills both descriptors, which are owned only if it succeeded.
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
    /// Other systems: Ctrl-C ends the program; Enter and a timeout end a recording.
    pub fn listen(asked: impl Fn() + Send + 'static) {
        _ = asked;
    }
}
