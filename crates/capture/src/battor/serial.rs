//! A serial line: 2,000,000 bits a second, eight of them a byte, with flow control.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A line that is open.
#[derive(Debug)]
pub(super) struct Serial {
    file: File,
}

impl Serial {
    /// Opens a line, and sets it up.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        // It must not become the program's terminal, and opening must not wait for a carrier.
        options.custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK);
        let file = options.read(true).write(true).open(path)?;
        set_up(&file)?;
        Ok(Self { file })
    }

    /// Sends bytes.
    pub fn send(&mut self, mut bytes: &[u8], limit: Duration) -> io::Result<()> {
        let until = Instant::now() + limit;
        while !bytes.is_empty() {
            self.wait(libc::POLLOUT, until)?;
            match self.file.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives what is there, at least a byte; [`io::ErrorKind::TimedOut`] where nothing comes.
    pub fn receive(&mut self, bytes: &mut [u8], until: Instant) -> io::Result<usize> {
        loop {
            self.wait(libc::POLLIN, until)?;
            match self.file.read(bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if is_passing(&error) => {}
                result => return result,
            }
        }
    }

    fn wait(&self, events: libc::c_short, until: Instant) -> io::Result<()> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            // A millisecond at least, so that it is not over too early.
            let ms = libc::c_int::try_from(left.as_millis() + 1).unwrap_or(libc::c_int::MAX);
            let mut poll = libc::pollfd {
                fd: self.file.as_raw_fd(),
                events,
                revents: 0,
            };
            // SAFETY: one entry, which lives through the call, and a descriptor that is open.
            match unsafe { libc::poll(&raw mut poll, 1, ms) } {
                0 if Instant::now() >= until => return Err(io::ErrorKind::TimedOut.into()),
                0 => {}
                -1 => {
                    let error = io::Error::last_os_error();
                    if !is_passing(&error) {
                        return Err(error);
                    }
                }
                _ => return Ok(()),
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

fn set_up(file: &File) -> io::Result<()> {
    let check = |result: libc::c_int| match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    let fd = file.as_raw_fd();
    // SAFETY: settings of zeros are valid ones, the calls fill or read them and keep no pointer,
    // and the descriptor is open as long as the file is.
    unsafe {
        let mut settings: libc::termios = std::mem::zeroed();
        check(libc::tcgetattr(fd, &raw mut settings))?;
        libc::cfmakeraw(&raw mut settings);
        settings.c_cflag |= libc::CREAD | libc::CLOCAL | libc::CRTSCTS;
        check(libc::cfsetspeed(&raw mut settings, libc::B2000000))?;
        check(libc::tcsetattr(fd, libc::TCSANOW, &raw const settings))
    }
}
