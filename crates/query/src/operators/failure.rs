//! Why an operator failed.

use rusqlite::{Error, ffi};

/// Why an operator failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// An argument is invalid.
    Refused(String),
    /// The query was stopped.
    Interrupted,
    /// The memory limit is reached.
    Memory,
}

impl Failure {
    /// The failure for an invalid argument.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }
}

impl From<Failure> for Error {
    /// The failure as an error of SQLite.
    fn from(failure: Failure) -> Self {
        let code = match failure {
            Failure::Interrupted => ffi::SQLITE_INTERRUPT,
            Failure::Memory => ffi::SQLITE_NOMEM,
            Failure::Refused(message) => return Self::UserFunctionError(message.into()),
        };
        Self::SqliteFailure(ffi::Error::new(code), None)
    }
}
