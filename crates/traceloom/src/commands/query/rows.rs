//! Writes results as CSV, JSON, or JSON lines, row by row, without keeping rows in memory.

use std::borrow::Cow;
use std::io::{self, Write};

use anyhow::Result;
use traceloom_query::{Output, ValueRef};

use crate::print::csv_line;

/// The text that is printed instead of a BLOB value. Perfetto prints the same. A query can show the bytes with `hex()`.
const BYTES: &str = "<raw bytes>";

/// A value as text; `None` for NULL.
pub(super) fn text<'v>(value: &ValueRef<'v>) -> Option<Cow<'v, str>> {
    Some(match *value {
        ValueRef::Null => return None,
        ValueRef::Integer(value) => value.to_string().into(),
        ValueRef::Real(value) => real(value).into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text),
        ValueRef::Blob(_) => BYTES.into(),
    })
}

/// A floating-point number, with as many digits as distinguish it from all others. JSON has no infinity, so infinity is
/// written as a number that is too large for a float.
fn real(value: f64) -> String {
    if value.is_finite() {
        return format!("{value:?}");
    }
    if value > 0.0 { "9e999" } else { "-9e999" }.to_owned()
}

/// A value in JSON.
fn json(value: &ValueRef<'_>) -> io::Result<String> {
    Ok(match value {
        ValueRef::Integer(_) | ValueRef::Real(_) => text(value).unwrap_or_default().into_owned(),
        _ => serde_json::to_string(&text(value))?,
    })
}

/// The result as CSV.
pub(super) struct Csv<'o> {
    pub out: &'o mut dyn Write,
}

impl Output for Csv<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        csv_line(self.out, names).map_err(io::Error::other)
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let fields = values.iter().map(|value| text(value).unwrap_or_default());
        csv_line(self.out, fields).map_err(io::Error::other)
    }
}

/// The result as one object.
pub(super) struct Json<'o> {
    out: &'o mut dyn Write,
    /// Rows written, if the columns were.
    rows: Option<u64>,
}

impl<'o> Json<'o> {
    pub fn new(out: &'o mut dyn Write) -> Self {
        Self { out, rows: None }
    }

    /// Writes the end.
    pub fn finish(self) -> Result<()> {
        match self.rows {
            None => writeln!(self.out, "{{\"columns\": [], \"rows\": []}}")?,
            Some(0) => writeln!(self.out, "]}}")?,
            Some(_) => writeln!(self.out, "\n]}}")?,
        }
        Ok(())
    }
}

impl Output for Json<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        let names = serde_json::to_string(names)?;
        self.rows = Some(0);
        write!(self.out, "{{\"columns\": {names}, \"rows\": [")
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let values: io::Result<Vec<String>> = values.iter().map(json).collect();
        let rows = self.rows.get_or_insert(0);
        let comma = if *rows > 0 { "," } else { "" };
        *rows += 1;
        write!(self.out, "{comma}\n[{}]", values?.join(","))
    }
}

/// The result as an object per line.
pub(super) struct JsonLines<'o> {
    out: &'o mut dyn Write,
    /// The names as JSON texts.
    names: Vec<String>,
}

impl<'o> JsonLines<'o> {
    pub fn new(out: &'o mut dyn Write) -> Self {
        let names = Vec::new();
        Self { out, names }
    }
}

impl Output for JsonLines<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        let names: Result<Vec<String>, _> = names.iter().map(serde_json::to_string).collect();
        self.names = names?;
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let fields = self.names.iter().zip(values);
        let fields = fields.map(|(name, value)| Ok(format!("{name}:{}", json(value)?)));
        let fields: io::Result<Vec<String>> = fields.collect();
        writeln!(self.out, "{{{}}}", fields?.join(","))
    }
}
