//! A table of the schema, column by column.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use traceloom_trace::StringId;
use traceloom_trace::column::CHUNK_ROWS;

use super::bits::ValidBits;
use super::chunk::{Chunk, ColumnType, Values};
use super::stored::{is_small, stored};
use crate::schema::{ALIASES, Cell, Column, Data, Kind, RECORD_TABLES, TABLES, Table};

/// The meaning of the numbers in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableUnit {
    /// Nanoseconds on the trace's clock.
    Time,
    /// Nanoseconds.
    Duration,
    /// Row numbers of the named table; without a name, of the table itself.
    Rows(Option<&'static str>),
    /// Sets of rows of `args`.
    ArgSets,
    /// Anything else.
    Plain,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// Its name.
    pub name: &'static str,
    /// The type of its values.
    pub column_type: ColumnType,
    /// The meaning of its numbers.
    pub unit: TableUnit,
    /// One line of documentation; empty for tables that only Perfetto documents.
    pub doc: &'static str,
    /// Whether `SELECT *` leaves it out.
    pub is_hidden: bool,
}

/// A table of a trace, column by column. It stays valid after its [`Session`](crate::Session) is dropped.
#[derive(Clone, Debug)]
pub struct TableData {
    data: Arc<Data>,
    table: &'static Table,
    rows: usize,
}

impl TableData {
    /// Finds a table of the schema by any of its names. Views are not tables.
    pub(crate) fn find(data: &Arc<Data>, name: &str) -> Option<Self> {
        let all = TABLES.iter().copied();
        let named = all.map(|table| (table.name, table));
        let mut known = named.chain(ALIASES.iter().copied());
        if let Some((_, table)) = known.find(|(known, _)| *known == name) {
            let rows = (table.rows)(data);
            let data = data.clone();
            return Some(Self { data, table, rows });
        }
        let mut records = RECORD_TABLES.iter().enumerate();
        let (place, declared) = records.find(|(_, it)| it.names.contains(&name))?;
        Some(Self {
            rows: data.records.count(place),
            data: data.clone(),
            table: &declared.table,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of chunks. Each has 65,536 rows, and the last one may have fewer.
    pub fn chunks(&self) -> usize {
        self.rows.div_ceil(CHUNK_ROWS)
    }

    /// One line of documentation.
    pub fn doc(&self) -> &'static str {
        self.table.doc
    }

    /// The columns in the order of the schema.
    pub fn columns(&self) -> impl Iterator<Item = TableColumn> {
        let table = self.table;
        table.columns.iter().map(|column| TableColumn {
            name: column.name,
            column_type: column_type(table, column),
            unit: unit(column.kind),
            doc: column.doc,
            is_hidden: column.is_hidden,
        })
    }

    /// A chunk of a column. `column` and `number` are indexes below the counts of [`columns`](Self::columns) and
    /// [`chunks`](Self::chunks).
    ///
    /// # Panics
    /// If there is no such column.
    pub fn chunk(&self, column: usize, number: usize) -> Chunk<'_> {
        let column = &self.table.columns[column];
        let start = (number * CHUNK_ROWS).min(self.rows);
        let rows = start..(start + CHUNK_ROWS).min(self.rows);
        // Fast paths for columns that consumers often read together with all others.
        if let (true, Some(values)) = (column.is_row_number(), small_numbers(&rows)) {
            let values = Values::Int32(values.into());
            return Chunk {
                values,
                valid: None,
            };
        }
        if column.is_absent() {
            return Chunk::absent(column_type(self.table, column), rows.len());
        }
        if let Some(stored) = stored(&self.data, self.table.name, column.name)
            && stored.column_type() == column_type(self.table, column)
        {
            return stored.chunk(number, rows.len());
        }
        let cells = rows.map(|row| column.get(&self.data, row));
        computed(column_type(self.table, column), cells)
    }

    /// A text of a column.
    pub fn text(&self, id: u32) -> &str {
        self.data.get(StringId(id))
    }

    /// All ids of texts are below this number.
    pub fn texts(&self) -> usize {
        self.data.texts()
    }
}

fn column_type(table: &Table, column: &Column) -> ColumnType {
    match column.kind {
        Kind::Id | Kind::JoinId(_) | Kind::ArgSetId => ColumnType::Int32,
        Kind::Double => ColumnType::Float64,
        Kind::String => ColumnType::Text,
        Kind::Long if is_small(table.name, column.name) => ColumnType::Int32,
        Kind::Timestamp | Kind::Duration | Kind::Long | Kind::Bool => ColumnType::Int64,
    }
}

fn unit(kind: Kind) -> TableUnit {
    match kind {
        Kind::Id => TableUnit::Rows(None),
        Kind::JoinId(table) => TableUnit::Rows(Some(table)),
        Kind::ArgSetId => TableUnit::ArgSets,
        Kind::Timestamp => TableUnit::Time,
        Kind::Duration => TableUnit::Duration,
        Kind::Long | Kind::Bool | Kind::Double | Kind::String => TableUnit::Plain,
    }
}

/// The row numbers as `i32`, if they fit.
fn small_numbers(rows: &Range<usize>) -> Option<Vec<i32>> {
    let (start, end) = (rows.start.try_into().ok()?, rows.end.try_into().ok()?);
    Some((start..end).collect())
}

/// Collects cells. A cell whose type differs from the column's is absent.
fn computed(column_type: ColumnType, cells: impl Iterator<Item = Cell>) -> Chunk<'static> {
    let mut valid = ValidBits::default();
    let values = match column_type {
        ColumnType::Int32 => Values::Int32(collected(cells, &mut valid, |cell| match cell {
            Cell::Int(value) => i32::try_from(value).ok(),
            _ => None,
        })),
        ColumnType::Int64 => Values::Int64(collected(cells, &mut valid, |cell| match cell {
            Cell::Int(value) => Some(value),
            _ => None,
        })),
        ColumnType::Float64 => Values::Float64(collected(cells, &mut valid, |cell| match cell {
            Cell::Float(value) => Some(value),
            Cell::Int(value) => Some(value as f64),
            _ => None,
        })),
        ColumnType::Text => Values::Text(collected(cells, &mut valid, |cell| match cell {
            Cell::Text(id) => Some(id.0),
            _ => None,
        })),
    };
    let valid = valid.finish();
    Chunk { values, valid }
}

fn collected<T: Copy + Default>(
    cells: impl Iterator<Item = Cell>,
    valid: &mut ValidBits,
    value: impl Fn(Cell) -> Option<T>,
) -> Cow<'static, [T]> {
    let value = |cell| {
        let value = value(cell);
        valid.push(value.is_some());
        value.unwrap_or_default()
    };
    Cow::Owned(cells.map(value).collect())
}
