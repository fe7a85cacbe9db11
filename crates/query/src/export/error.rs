//! Why an export failed.

use std::io;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::error::QueryError;

/// Why an export failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no table or view of this name.
    #[error("there is no table {name}; docs/sql.md lists the tables")]
    NoTable {
        /// The name.
        name: String,
    },
    /// The file would have more bytes than allowed.
    #[error("the file would have more bytes than allowed")]
    TooLong,
    /// The disk is full.
    #[error("there is no space left for the file")]
    DiskFull,
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// SQLite cannot write the file.
    #[error("SQLite cannot write the file: {0}")]
    Sqlite(rusqlite::Error),
    /// A table cannot be read.
    #[error(transparent)]
    Query(QueryError),
}

impl From<rusqlite::Error> for ExportError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Sqlite(error),
        }
    }
}

impl From<QueryError> for ExportError {
    /// An error of the output has its own variant. It may have come from SQLite.
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Output(error) => match error.downcast::<rusqlite::Error>() {
                Ok(error) => error.into(),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Self::TooLong,
                Err(error) => Self::Write(error),
            },
            other => Self::Query(other),
        }
    }
}
