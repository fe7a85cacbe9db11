//! The result of a query in memory, in the layout of Arrow.

use super::column::{Column, Kind};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// All values are absent.
    Null,
    /// `int64`.
    Int,
    /// `double`.
    Real,
    /// `utf8`.
    Text,
    /// `binary`.
    Bytes,
}

/// The result of a query.
#[derive(Debug)]
pub struct ArrowResult {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The type of each column.
    pub kinds: Vec<ArrowKind>,
    /// The rows.
    pub batches: Vec<ArrowBatch>,
}

/// Some rows of a result.
#[derive(Debug)]
pub struct ArrowBatch {
    /// The number of rows.
    pub rows: usize,
    /// Their values, column by column.
    pub columns: Vec<ArrowColumn>,
}

/// The values of a column in some rows.
#[derive(Debug)]
pub struct ArrowColumn {
    /// One bit per row, lowest bit first: whether the row has a value. `None` if all rows have one.
    pub valid: Option<Vec<u8>>,
    /// For numbers: eight bytes per row, lowest byte first. For texts and bytes: the contents of all rows.
    pub bytes: Vec<u8>,
    /// For texts and bytes: the offset at which each row ends.
    pub ends: Vec<i32>,
}

impl From<Column> for ArrowColumn {
    fn from(column: Column) -> Self {
        let (valid, bytes, ends) = column.into_parts();
        Self { valid, bytes, ends }
    }
}

impl From<Kind> for ArrowKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Null => Self::Null,
            Kind::Int => Self::Int,
            Kind::Real => Self::Real,
            Kind::Text => Self::Text,
            Kind::Bytes => Self::Bytes,
        }
    }
}
