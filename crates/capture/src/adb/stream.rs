//! A connection through the adb server.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::error::{AdbError, Result};

/// A connection to the server, or through it to a device, with a time limit.
#[derive(Debug)]
pub struct Stream {
    tcp: TcpStream,
    /// The current request, for error messages.
    request: String,
    deadline: Option<(Instant, Duration)>,
}

/// Closes a [`Stream`] from another thread. A blocked read then returns the end of the stream.
#[derive(Debug)]
pub struct Closer(TcpStream);

impl Closer {
    /// Closes the stream.
    pub fn close(&self) {
        // Fails only if the stream is closed already.
        _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Stream {
    pub(super) fn new(tcp: TcpStream, request: &str) -> Self {
        // Without it a small request may be delayed until the previous one is acknowledged.
        _ = tcp.set_nodelay(true);
        Self {
            tcp,
            request: request.to_owned(),
            deadline: None,
        }
    }

    /// Sets the current request, for error messages.
    pub(super) fn set_request(&mut self, request: &str) {
        request.clone_into(&mut self.request);
    }

    /// The current request.
    pub(super) fn request(&self) -> &str {
        &self.request
    }

    /// Sets the time limit for everything that follows. `None` waits indefinitely.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.deadline = limit.map(|limit| (Instant::now() + limit, limit));
        if limit.is_none() {
            // The socket still has the previous timeout. A failure shows at the next read or write.
            _ = self.tcp.set_read_timeout(None);
            _ = self.tcp.set_write_timeout(None);
        }
    }

    /// Returns a handle that closes this stream from another thread.
    ///
    /// # Errors
    /// [`AdbError::Io`] if the process has too many open files.
    pub fn closer(&self) -> Result<Closer> {
        self.tcp
            .try_clone()
            .map(Closer)
            .map_err(|error| self.error(error))
    }

    /// Reads at least one byte; 0 at the end of the stream.
    ///
    /// # Errors
    /// [`AdbError::Timeout`], [`AdbError::Lost`], [`AdbError::Io`].
    pub fn receive(&mut self, into: &mut [u8]) -> Result<usize> {
        self.read(into).map_err(|error| self.error(error))
    }

    /// Fills `into`.
    ///
    /// # Errors
    /// As for [`Stream::receive`]; [`AdbError::Lost`] if the stream ends too early.
    pub fn receive_exact(&mut self, into: &mut [u8]) -> Result<()> {
        self.read_exact(into).map_err(|error| self.error(error))
    }

    /// Reads `length` bytes. Memory grows with the received bytes, so a false length allocates nothing.
    ///
    /// # Errors
    /// As for [`Stream::receive_exact`].
    pub fn receive_vec(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = Read::by_ref(self)
            .take(length as u64)
            .read_to_end(&mut bytes);
        match read.map_err(|error| self.error(error))? {
            read if read == length => Ok(bytes),
            _ => Err(self.error(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// As for [`Stream::receive`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| self.error(error))
    }

    /// The error for an answer that violates the protocol.
    pub(super) fn protocol(&self, expected: &'static str, found: &[u8]) -> AdbError {
        AdbError::Protocol {
            request: self.request.clone(),
            expected,
            found: found.escape_ascii().to_string(),
        }
    }

    fn error(&self, error: io::Error) -> AdbError {
        AdbError::from_io(error, &self.request, self.deadline.map(|(_, limit)| limit))
    }

    /// The time left, or an error if none is left. The system treats a timeout of zero as no timeout.
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
