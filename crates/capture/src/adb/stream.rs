//! A connection through the adb server.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::error::{AdbError, Result};

/// A connection to the server, or through it to a device: bytes both ways, with a time limit.
#[derive(Debug)]
pub struct Stream {
    tcp: TcpStream,
    /// What errors say was going on.
    request: String,
    deadline: Option<(Instant, Duration)>,
}

/// Ends a [`Stream`] from another thread: whoever reads from it finds its end at once.
#[derive(Debug)]
pub struct Closer(TcpStream);

impl Closer {
    /// Ends the stream.
    pub fn close(&self) {
        // One that is closed already is what was wanted.
        _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Stream {
    pub(super) fn new(tcp: TcpStream, request: &str) -> Self {
        // Requests are small and wait for an answer each; without it they could wait for an ack.
        _ = tcp.set_nodelay(true);
        Self {
            tcp,
            request: request.to_owned(),
            deadline: None,
        }
    }

    /// What errors say was going on from now on.
    pub(super) fn now_for(&mut self, request: &str) {
        request.clone_into(&mut self.request);
    }

    /// What is going on.
    pub(super) fn request(&self) -> &str {
        &self.request
    }

    /// Everything from here on has to be done within `limit`; `None` waits for ever.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.deadline = limit.map(|limit| (Instant::now() + limit, limit));
    }

    /// What ends this stream from elsewhere.
    ///
    /// # Errors
    /// [`AdbError::Io`] where the system has no more descriptors.
    pub fn closer(&self) -> Result<Closer> {
        self.tcp
            .try_clone()
            .map(Closer)
            .map_err(|error| self.error(error))
    }

    /// Reads what has come, at least a byte; 0 at the end.
    ///
    /// # Errors
    /// [`AdbError::Timeout`], [`AdbError::Lost`], [`AdbError::Io`].
    pub fn receive(&mut self, into: &mut [u8]) -> Result<usize> {
        self.read(into).map_err(|error| self.error(error))
    }

    /// Fills `into`.
    pub(super) fn receive_all(&mut self, into: &mut [u8]) -> Result<()> {
        self.read_exact(into).map_err(|error| self.error(error))
    }

    /// Fills `into`.
    ///
    /// # Errors
    /// As for [`Stream::receive`]; [`AdbError::Lost`] where the stream ends before.
    pub fn receive_exact(&mut self, into: &mut [u8]) -> Result<()> {
        self.receive_all(into)
    }

    /// Reads so many bytes. Memory grows with what comes, not with what was announced.
    ///
    /// # Errors
    /// As for [`Stream::receive_exact`].
    pub fn receive_vec(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.take_up_to(length, &mut bytes);
        match read.map_err(|error| self.error(error))? {
            read if read == length => Ok(bytes),
            _ => Err(self.error(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    fn take_up_to(&mut self, length: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        Read::by_ref(self).take(length as u64).read_to_end(bytes)
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// As for [`Stream::receive`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| self.error(error))
    }

    /// An answer that the protocol does not know.
    pub(super) fn protocol(&self, expected: &'static str, found: &[u8]) -> AdbError {
        AdbError::Protocol {
            request: self.request.clone(),
            expected,
            found: found.escape_ascii().to_string(),
        }
    }

    fn error(&self, error: io::Error) -> AdbError {
        AdbError::of_io(error, &self.request, self.deadline.map(|(_, limit)| limit))
    }

    /// The time left; an error when it is over. A time-out of zero would mean none at all.
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some((deadline, _)) = self.deadline else {
            return Ok(None);
        };
        match deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.deadline.is_some() {
            self.tcp.set_read_timeout(self.left()?)?;
        }
        loop {
            match self.tcp.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.deadline.is_some() {
            self.tcp.set_write_timeout(self.left()?)?;
        }
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}
