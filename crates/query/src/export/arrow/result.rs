//! The result of any query as an Arrow file.

use std::io::{self, Write};

use rusqlite::types::ValueRef;

use super::batch::Batch;
use super::column::{Column, Kind};
use super::file::File;
use super::parts::{ArrowBatch, ArrowResult};
use crate::run::Output;

/// Collects the result of a query, and writes it as an Arrow file.
///
/// SQLite's columns have no type, but an Arrow file declares the types before the first row. So the result stays in
/// memory until it is complete. The type of a column is the first of these that can hold all its values: `null`,
/// `int64`, `double`, `utf8`, `binary`.
pub struct ArrowRows {
    names: Vec<String>,
    batches: Vec<Batch>,
    /// The approximate maximum memory to use, bytes.
    most: u64,
    used: u64,
}

impl ArrowRows {
    /// Collects a result of at most this many bytes.
    pub fn new(most: u64) -> Self {
        Self {
            names: Vec::new(),
            batches: Vec::new(),
            most,
            used: 0,
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn finish(self, out: &mut dyn Write) -> io::Result<()> {
        let kinds = self.kinds();
        let fields = self.names.into_iter().zip(kinds.iter().copied());
        let mut file = File::new(out, fields.collect())?;
        for batch in self.batches {
            let columns = batch.columns.into_iter().zip(&kinds);
            let columns: Vec<Column> = columns
                .map(|(column, kind)| as_kind(column, *kind))
                .collect();
            file.batch(&columns)?;
        }
        file.finish()
    }

    /// The columns in memory, for other ways to pass them on.
    pub fn into_result(self) -> ArrowResult {
        let kinds = self.kinds();
        let batch = |batch: Batch| {
            let rows = batch.rows();
            let columns = batch.columns.into_iter().zip(&kinds);
            let columns = columns.map(|(column, kind)| as_kind(column, *kind).into());
            let columns = columns.collect();
            ArrowBatch { rows, columns }
        };
        ArrowResult {
            batches: self.batches.into_iter().map(batch).collect(),
            kinds: kinds.iter().map(|kind| (*kind).into()).collect(),
            names: self.names,
        }
    }

    /// The kind of each column.
    fn kinds(&self) -> Vec<Kind> {
        let of_column = |column: usize| {
            let kinds = self
                .batches
                .iter()
                .map(|batch| batch.columns[column].kind());
            kinds.max().unwrap_or(Kind::Null)
        };
        (0..self.names.len()).map(of_column).collect()
    }
}

fn as_kind(column: Column, kind: Kind) -> Column {
    if column.kind() == kind {
        return column;
    }
    column.converted(kind)
}

impl Output for ArrowRows {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        if self
            .batches
            .last()
            .is_none_or(|batch| batch.is_full_for(values))
        {
            self.used += self.batches.last().map_or(0, |batch| batch.size() as u64);
            let kinds = values.iter().map(|_| Kind::Null);
            self.batches.push(Batch::new(kinds));
        }
        if self.used > self.most {
            let message = format!(
                "the result needs more memory than {} bytes; --memory-limit sets the limit",
                self.most
            );
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, message));
        }
        if let Some(batch) = self.batches.last_mut() {
            batch.push(values);
        }
        Ok(())
    }
}
