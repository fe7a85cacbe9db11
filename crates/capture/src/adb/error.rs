//! Why adb did not do what it was asked.

use std::io;
use std::time::Duration;

/// A result of this client.
pub type Result<T> = std::result::Result<T, AdbError>;

/// What can go wrong between here and a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdbError {
    /// Nothing listens where the server should, and it was not to be started.
    #[error("no adb server answers at {address}: {source}")]
    NoServer {
        /// Where it was looked for.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// There is no program called adb that could start a server.
    #[error("Unable to find adb, is it in your path?")]
    NoAdb,
    /// `adb start-server` failed.
    #[error("adb could not start its server: {said}")]
    Start {
        /// What it printed.
        said: String,
    },
    /// The environment names a place for the server that cannot be understood.
    #[error("{variable} is {value}; expected {expected}")]
    Address {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it should look like.
        expected: &'static str,
    },
    /// The server or the device refused a request.
    #[error("adb: {request}: {reason}")]
    Refused {
        /// What was asked for.
        request: String,
        /// The reason it gave.
        reason: String,
    },
    /// An answer that the protocol does not know.
    #[error("adb: {request}: expected {expected}, found {found}")]
    Protocol {
        /// What was asked for.
        request: String,
        /// What should have come.
        expected: &'static str,
        /// What came, made printable.
        found: String,
    },
    /// No answer came in time.
    #[error("adb: {request}: no answer within {} s", limit.as_secs_f64())]
    Timeout {
        /// What was asked for.
        request: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The connection ended in the middle of an answer: the device was unplugged, or its adbd died.
    #[error("adb: {request}: the connection to the device was lost")]
    Lost {
        /// What was going on.
        request: String,
    },
    /// Sending or receiving failed.
    #[error("adb: {request}: {source}")]
    Io {
        /// What was going on.
        request: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file on this side could not be read or written.
    #[error("{path}: {source}")]
    Local {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl AdbError {
    /// What an error of the connection means: an end in mid-answer, a time-out, or the rest.
    pub(super) fn of_io(source: io::Error, request: &str, limit: Option<Duration>) -> Self {
        let request = request.to_owned();
        match source.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => Self::Lost { request },
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Timeout {
                request,
                limit: limit.unwrap_or_default(),
            },
            _ => Self::Io { request, source },
        }
    }
}
