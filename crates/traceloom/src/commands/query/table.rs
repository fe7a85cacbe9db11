//! Results as a table for people.

use std::io::{self, Write};

use anyhow::Result;
use traceloom_query::{Output, ValueRef};

use super::rows::text;
use crate::print::{left, plain, right};

/// Rows that decide how wide the columns are. The rows after them are written as they come.
const MEASURED: usize = 1000;

/// Spaces between two columns.
pub(super) const GAP: &str = "  ";

/// A result as a table.
pub(super) struct TableRows<'o> {
    out: &'o mut dyn Write,
    /// The width of the terminal, characters; `None` to cut nothing.
    width: Option<usize>,
    /// The headings and the first rows, until the widths are known.
    first: Vec<Vec<Field>>,
    widths: Option<Vec<usize>>,
}

/// A cell of the table.
pub(super) struct Field {
    pub text: String,
    pub is_number: bool,
}

impl<'o> TableRows<'o> {
    pub fn new(out: &'o mut dyn Write, width: Option<usize>) -> Self {
        Self {
            out,
            width,
            first: Vec::new(),
            widths: None,
        }
    }

    /// Writes the rows that were not written yet.
    pub fn finish(mut self) -> Result<()> {
        self.write_first()?;
        Ok(())
    }

    /// Writes the first rows, which also fixes the widths.
    fn write_first(&mut self) -> io::Result<Vec<usize>> {
        if let Some(widths) = &self.widths {
            return Ok(widths.clone());
        }
        let mut first = std::mem::take(&mut self.first);
        let columns = first.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let fields = first.iter().map(|row| row[column].text.chars().count());
            fields.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        // The heading of a column of numbers is aligned like the numbers.
        if let Some((heads, rows)) = first.split_first_mut() {
            for (column, head) in heads.iter_mut().enumerate() {
                head.is_number = rows.iter().any(|row| row[column].is_number);
            }
        }
        for row in &first {
            self.write_row(row, &widths)?;
        }
        self.widths = Some(widths.clone());
        Ok(widths)
    }

    fn write_row(&mut self, row: &[Field], widths: &[usize]) -> io::Result<()> {
        let mut line = String::new();
        for (number, (field, width)) in row.iter().zip(widths).enumerate() {
            if number > 0 {
                line.push_str(GAP);
            }
            line += &if field.is_number {
                right(&field.text, *width).to_string()
            } else {
                left(&field.text, *width).to_string()
            };
        }
        let line = line.trim_end();
        match self.width {
            Some(width) if line.chars().count() > width => {
                let cut: String = line.chars().take(width.saturating_sub(1)).collect();
                writeln!(self.out, "{cut}…")
            }
            _ => writeln!(self.out, "{line}"),
        }
    }
}

impl Output for TableRows<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        let head = |name: &String| Field {
            text: plain(name).into_owned(),
            is_number: false,
        };
        self.first = vec![names.iter().map(head).collect()];
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let row: Vec<Field> = values.iter().map(field).collect();
        if self.widths.is_none() && self.first.len() <= MEASURED {
            self.first.push(row);
            return Ok(());
        }
        let widths = self.write_first()?;
        self.write_row(&row, &widths)
    }
}

/// A value as text, without control characters.
pub(super) fn field(value: &ValueRef<'_>) -> Field {
    let text = text(value).unwrap_or("NULL".into());
    Field {
        text: plain(&text).into_owned(),
        is_number: matches!(value, ValueRef::Integer(_) | ValueRef::Real(_)),
    }
}
