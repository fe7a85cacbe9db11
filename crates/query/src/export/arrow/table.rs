//! A table of the schema as an Arrow file.

use std::io::{self, Write};

use rusqlite::types::ValueRef;

use super::batch::Batch;
use super::column::Kind;
use super::file::File;
use crate::export::error::ExportError;
use crate::export::relation::named;
use crate::run::Output;
use crate::schema::Affinity;
use crate::session::Session;

/// Writes a table or view as an Arrow file. The types of the columns do not depend on the rows.
///
/// # Errors
/// If there is no such table, `out` fails, or the query breaks a limit of the session.
pub fn write_arrow(
    session: &mut Session,
    table: &str,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let relation = named(table)?;
    let field = |(name, affinity): &(&str, Affinity)| ((*name).to_owned(), kind(*affinity));
    let fields: Vec<(String, Kind)> = relation.columns.iter().map(field).collect();
    let kinds: Vec<Kind> = fields.iter().map(|(_, kind)| *kind).collect();
    let mut rows = TableRows {
        batch: Batch::new(kinds.clone()),
        file: File::new(out, fields)?,
        kinds,
    };
    session.run(table, &relation.select(), &[], &mut rows)?;
    rows.flush()?;
    Ok(rows.file.finish()?)
}

fn kind(affinity: Affinity) -> Kind {
    match affinity {
        Affinity::Integer => Kind::Int,
        Affinity::Real => Kind::Real,
        Affinity::Text => Kind::Text,
    }
}

/// Writes rows as they come, a batch at a time.
struct TableRows<'o> {
    batch: Batch,
    file: File<'o>,
    kinds: Vec<Kind>,
}

impl TableRows<'_> {
    fn flush(&mut self) -> io::Result<()> {
        let batch = std::mem::replace(&mut self.batch, Batch::new(self.kinds.clone()));
        // All values of a schema column have its type.
        let mut kinds = batch.columns.iter().zip(&self.kinds);
        if let Some(at) = kinds.position(|(column, kind)| column.kind() != *kind) {
            let message = format!("the column {at} has a value of another type than the column");
            return Err(io::Error::other(message));
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.file.batch(&batch.columns)
    }
}

impl Output for TableRows<'_> {
    fn columns(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        if self.batch.is_full_for(values) {
            self.flush()?;
        }
        self.batch.push(values);
        Ok(())
    }
}
