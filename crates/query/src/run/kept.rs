//! The result of a statement that is not the last one. It is the result of the script if no later statement has one.

use std::io;

use rusqlite::types::{Value, ValueRef};

use super::output::Output;
use super::result_set::ResultSet;
use crate::dialect::{Statement, StatementKind, TokenKind, tokens_of};
use crate::operators::{Failure, Meter, Pool};

/// A result in memory. It counts towards the memory limit.
pub(super) struct Kept {
    pub result: ResultSet,
    meter: Meter,
}

impl Kept {
    pub fn new(pool: &Pool) -> Self {
        Self {
            result: ResultSet::default(),
            meter: pool.meter(),
        }
    }
}

impl Output for Kept {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.result.columns(names)
    }

    /// # Errors
    /// If a limit is reached; the kind of the error identifies the limit.
    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let texts = values.iter().filter_map(|value| value.as_bytes().ok());
        let bytes =
            size_of::<Vec<Value>>() + size_of_val(values) + texts.map(<[u8]>::len).sum::<usize>();
        self.meter.grow(bytes).map_err(|failure| match failure {
            Failure::Interrupted => io::Error::from(io::ErrorKind::Interrupted),
            Failure::Memory => io::Error::from(io::ErrorKind::OutOfMemory),
            Failure::Refused(message) => io::Error::other(message),
        })?;
        self.result.row(values)
    }
}

/// Whether a statement certainly has a result. If so, earlier results are not the result of the script.
pub(super) fn has_result(statement: &Statement) -> bool {
    let text = statement.sql.text();
    let tokens = tokens_of(text).unwrap_or_default();
    // A macro may expand to a statement without a result.
    let is_plain = !tokens.iter().any(|token| token.kind == TokenKind::Bang);
    let starts = |word| {
        tokens
            .first()
            .is_some_and(|token| token.is_word(text, word))
    };
    statement.kind == StatementKind::Sqlite && is_plain && (starts("SELECT") || starts("VALUES"))
}
