//! Rows that are written as one batch.

use rusqlite::types::ValueRef;

use super::column::{Column, Kind, size_of};

/// The maximum number of rows of a batch.
const ROWS: usize = 1 << 16;

/// The maximum size of a batch, bytes. Arrow's offsets of texts have 31 bits.
const BYTES: usize = 1 << 26;

/// Rows that are written as one batch.
pub(super) struct Batch {
    pub columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

impl Batch {
    /// A batch without rows.
    pub fn new(kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self {
            columns: kinds.into_iter().map(Column::new).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether the next row belongs to another batch.
    pub fn is_full_for(&self, values: &[ValueRef<'_>]) -> bool {
        let more: usize = values.iter().map(size_of).sum();
        self.rows >= ROWS || (self.rows > 0 && self.bytes + more > BYTES)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row.
    pub fn push(&mut self, values: &[ValueRef<'_>]) {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(*value);
            self.bytes += size_of(value);
        }
        self.rows += 1;
    }

    /// The approximate memory that it takes, bytes.
    pub fn size(&self) -> usize {
        self.columns.iter().map(Column::size).sum()
    }
}
