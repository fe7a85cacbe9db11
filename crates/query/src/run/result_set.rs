//! A result in memory: a later statement may have one too.

use std::io;

use rusqlite::types::{Value, ValueRef};

use super::output::Output;
use crate::error::QueryError;

/// The names of the columns and the rows.
#[derive(Default)]
pub(super) struct Kept {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Output for Kept {
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

impl Kept {
    /// Passes the result on.
    pub fn replay(&self, out: &mut dyn Output) -> Result<(), QueryError> {
        out.columns(&self.names)?;
        for row in &self.rows {
            let values: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
            out.row(&values)?;
        }
        Ok(())
    }
}
