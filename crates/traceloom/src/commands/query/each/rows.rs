//! A result in memory.

use std::io;

use traceloom_query::{Output, Value, ValueRef};

/// The result of a query in memory.
#[derive(Default)]
pub(super) struct Rows {
    /// The names of the query's columns.
    pub names: Vec<String>,
    /// The values of the file's own columns, the same in each row.
    pub own: Vec<Value>,
    /// The query's values.
    pub rows: Vec<Vec<Value>>,
}

impl Output for Rows {
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
