//! Why a query failed.

use std::time::Duration;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::dialect::{self, Location};

/// Why a query failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The SQL is wrong, or its execution failed.
    #[error("{location}: {message}")]
    Sql {
        /// Where in the script, with the macro calls that lead there.
        location: Box<Location>,
        /// What is wrong.
        message: String,
    },
    /// The SQL is not PerfettoSQL.
    #[error(transparent)]
    Script(Box<dialect::Error>),
    /// There is no statement in the SQL.
    #[error("{name} has no SQL statement")]
    Empty {
        /// Where the SQL comes from.
        name: String,
    },
    /// No statement uses a parameter that was given.
    #[error("no statement has a parameter :{name}, @{name} or ${name}")]
    UnknownParameter {
        /// The parameter.
        name: String,
    },
    /// A statement has a parameter that was not given.
    #[error("the parameter {name} has no value; give it with --param {bare}=VALUE", bare = name.trim_start_matches([':', '@', '$']))]
    MissingParameter {
        /// The parameter, as the statement writes it.
        name: String,
    },
    /// The query took too long.
    #[error("the query was stopped after {} s; --timeout sets the limit", limit.as_secs_f64())]
    Timeout {
        /// The limit.
        limit: Duration,
    },
    /// The query was stopped from outside.
    #[error("the query was stopped")]
    Stopped,
    /// SQLite was interrupted, but no limit was reached.
    #[error("the query was interrupted")]
    Interrupted,
    /// There is no memory left.
    #[error("there is not enough memory for the query")]
    OutOfMemory,
    /// The query needs more memory than allowed.
    #[error("the query needs more memory than the limit of {limit} bytes; --memory-limit sets it")]
    Memory {
        /// The limit, bytes.
        limit: u64,
    },
    /// The result cannot be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// SQLite does not work at all.
    #[error("SQLite failed: {0}")]
    Engine(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for QueryError {
    /// Interrupts and lack of memory have their own variants.
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::Interrupted,
            Some(ErrorCode::OutOfMemory) => Self::OutOfMemory,
            _ => Self::Engine(error),
        }
    }
}

impl From<dialect::Error> for QueryError {
    fn from(error: dialect::Error) -> Self {
        Self::Script(Box::new(error))
    }
}
