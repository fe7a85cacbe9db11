//! The serial port: 2,000,000 baud, 8 data bits, hardware flow control.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::termios::{ControlModes, OptionalActions, speed, tcgetattr, tcsetattr};

/// An open serial port.
#[derive(Debug)]
pub(crate) struct Serial {
    file: File,
}

impl Serial {
    /// Opens and configures a port.
    pub fn open(path: &Path) -> io::Result<Self> {
        // The port must not become the controlling terminal, and opening it must not wait for a
        // carrier.
        let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
        let mut options = File::options();
        options.custom_flags(flags.bits() as i32);
        let file = options.read(true).write(true).open(path)?;
        configure(&file)?;
        Ok(Self { file })
    }

    /// Sends all bytes within `limit`.
    pub fn send(&mut self, mut bytes: &[u8], limit: Duration) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        while !bytes.is_empty() {
            self.wait(PollFlags::OUT, deadline)?;
            match self.file.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if is_transient(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives at least one byte, or fails with [`io::ErrorKind::TimedOut`] at the deadline.
    pub fn receive(&mut self, bytes: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            self.wait(PollFlags::IN, deadline)?;
            match self.file.read(bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if is_transient(&error) => {}
                result => return result,
            }
        }
    }

    fn wait(&self, events: PollFlags, deadline: Instant) -> io::Result<()> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            let mut port = [PollFd::new(&self.file, events)];
            match poll(&mut port, Some(&left)) {
                Ok(0) if Instant::now() >= deadline => return Err(io::ErrorKind::TimedOut.into()),
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

fn configure(file: &File) -> io::Result<()> {
    let mut settings = tcgetattr(file)?;
    settings.make_raw();
    settings.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL | ControlModes::CRTSCTS;
    settings.set_speed(speed::B2000000)?;
    Ok(tcsetattr(file, OptionalActions::Now, &settings)?)
}
