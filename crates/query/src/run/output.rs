//! The output and the parameters of a script.

use std::io;

use rusqlite::types::{Value, ValueRef};

/// Takes a result, row by row.
pub trait Output {
    /// The names of the columns, before the first row. A result without rows has names too.
    ///
    /// # Errors
    /// If they cannot be written.
    fn columns(&mut self, names: &[String]) -> io::Result<()>;

    /// A row: a value for each column. Texts are UTF-8, except those that a query made from bytes.
    ///
    /// # Errors
    /// If it cannot be written.
    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()>;
}

/// Values of parameters: the name without `:`, and the value.
pub type Params = [(String, Value)];

/// Discards all rows.
pub(super) struct Discard;

impl Output for Discard {
    fn columns(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, _: &[ValueRef<'_>]) -> io::Result<()> {
        Ok(())
    }
}
