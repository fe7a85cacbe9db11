//! A result in memory.

use std::io;

use rusqlite::types::{Value, ValueRef};

use super::output::Output;
use crate::error::QueryError;

/// The result of a query in memory: an [`Output`] that keeps all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultSet {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The rows: a value for each column.
    pub rows: Vec<Vec<Value>>,
}

impl Output for ResultSet {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        self.rows.push(values.iter().map(owned).collect());
        Ok(())
    }
}

fn owned(value: &ValueRef<'_>) -> Value {
    match *value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

impl ResultSet {
    /// Passes the result on.
    ///
    /// # Errors
    /// If `out` cannot take it.
    pub fn replay(&self, out: &mut dyn Output) -> Result<(), QueryError> {
        out.columns(&self.names)?;
        for row in &self.rows {
            let values: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
            out.row(&values)?;
        }
        Ok(())
    }
}
