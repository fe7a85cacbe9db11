//! Errors of the adb client.

use std::io;
use std::time::Duration;

/// The result of an adb request.
pub type Result<T> = std::result::Result<T, AdbError>;

/// An error of the adb client, the adb server or the connection to a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdbError {
    /// No server answers at the address, and none was started.
    #[error("no adb server answers at {address}: {source}")]
    NoServer {
        /// The address of the server.
        address: String,
        /// The system's error.
        source: io::Error,
    },
    /// The program adb, which starts the server, was not found.
    #[error("Unable to find adb, is it in your path?")]
    NoAdb,
    /// `adb start-server` failed.
    #[error("adb could not start its server: {message}")]
    Start {
        /// Its error message.
        message: String,
    },
    /// An environment variable has an invalid value for the server's address.
    #[error("{variable} is {value}; expected {expected}")]
    Address {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The expected form.
        expected: &'static str,
    },
    /// The server or the device refused a request.
    #[error("adb: {request}: {reason}")]
    Refused {
        /// The request.
        request: String,
        /// The reason it gave.
        reason: String,
    },
    /// An answer violates the protocol.
    #[error("adb: {request}: expected {expected}, found {found}")]
    Protocol {
        /// The request.
        request: String,
        /// The expected answer.
        expected: &'static str,
        /// The answer, made printable.
        found: String,
    },
    /// No answer arrived in time.
    #[error("adb: {request}: no answer within {} s", limit.as_secs_f64())]
    Timeout {
        /// The request.
        request: String,
        /// The time limit.
        limit: Duration,
    },
    /// The connection ended before the answer did: the device was unplugged, or its adbd died.
    #[error("adb: {request}: the connection to the device was lost")]
    Lost {
        /// The request.
        request: String,
    },
    /// Sending or receiving failed.
    #[error("adb: {request}: {source}")]
    Io {
        /// The request.
        request: String,
        /// The system's error.
        source: io::Error,
    },
    /// A local file could not be read or written.
    #[error("{path}: {source}")]
    Local {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
}

impl AdbError {
    /// Converts an error of the connection: an early end, a timeout, or another error.
    pub(super) fn from_io(source: io::Error, request: &str, limit: Option<Duration>) -> Self {
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
