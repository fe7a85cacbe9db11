//! Some rows of a column.

use std::borrow::Cow;

/// The type of a column. It is the same for every trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Row numbers, and small numbers.
    Int32,
    /// Times, and other whole numbers.
    Int64,
    /// Numbers with a fraction.
    Float64,
    /// Texts.
    Text,
}

/// The values of some rows. Borrowed values are the trace's own memory.
///
/// The value of an absent row is arbitrary; [`Chunk::valid`] marks the rows that have a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Row numbers of other tables, and small numbers.
    Int32(Cow<'a, [i32]>),
    /// Times, and other whole numbers.
    Int64(Cow<'a, [i64]>),
    /// Numbers with a fraction.
    Float64(Cow<'a, [f64]>),
    /// Texts, as ids for [`TableData::text`](super::TableData::text).
    Text(Cow<'a, [u32]>),
}

/// Some rows of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk<'a> {
    /// The values.
    pub values: Values<'a>,
    /// One bit per row, lowest bit first: whether the row has a value. `None` if all rows have one.
    pub valid: Option<Vec<u8>>,
}

impl Chunk<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Int32(rows) => rows.len(),
            Values::Int64(rows) => rows.len(),
            Values::Float64(rows) => rows.len(),
            Values::Text(rows) => rows.len(),
        }
    }

    /// A chunk whose rows are all absent.
    pub(super) fn absent(column_type: ColumnType, rows: usize) -> Self {
        let values = match column_type {
            ColumnType::Int32 => Values::Int32(vec![0; rows].into()),
            ColumnType::Int64 => Values::Int64(vec![0; rows].into()),
            ColumnType::Float64 => Values::Float64(vec![0.0; rows].into()),
            ColumnType::Text => Values::Text(vec![0; rows].into()),
        };
        // A chunk without rows needs no bits.
        let valid = (rows > 0).then(|| vec![0; rows.div_ceil(8)]);
        Self { values, valid }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
