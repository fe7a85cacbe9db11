//! PerfettoSQL tables whose rows are records of the trace. In most traces they are empty.

use std::sync::LazyLock;

use traceloom_trace::{ArgValue, IdKind, NO_TIME};

use super::cell::Cell;
use super::column::{Affinity, Column, Kind, Table, Value, column};
use super::data::Data;
use super::declared::{DECLARED, Declared};

/// A table whose rows are records.
#[derive(Debug)]
pub(crate) struct RecordTable {
    /// Its names. PerfettoSQL has some tables under two names.
    pub names: Vec<&'static str>,
    pub table: Table,
}

/// All tables of records.
pub(crate) static RECORD_TABLES: LazyLock<Vec<RecordTable>> = LazyLock::new(|| {
    let tables = DECLARED.iter().enumerate();
    tables
        .map(|(place, declared)| table(place, declared))
        .collect()
});

fn table(place: usize, declared: &Declared) -> RecordTable {
    let columns = declared.columns.iter().enumerate();
    let columns: Vec<Column> = columns
        .map(|(at, (name, what))| declare_column((place, at), name, *what))
        .collect();
    let table = Table {
        name: declared.names.first().copied().unwrap_or_default(),
        doc: "",
        columns: Box::leak(columns.into_boxed_slice()),
        rows: |_| 0,
    };
    let names = declared.names.clone();
    RecordTable { names, table }
}

/// The column at a position of a table: its name, and its type if it is not a whole number.
fn declare_column(
    (table, at): (usize, usize),
    name: &'static str,
    what: Option<&'static str>,
) -> Column {
    let absent = what.and_then(|what| what.parse().ok());
    let kind = match (what, name) {
        (Some("TIME"), _) => Kind::Timestamp,
        (Some("TEXT"), _) => Kind::String,
        (Some("REAL"), _) => Kind::Double,
        (None, "id") => Kind::Id,
        (None, "ts") => Kind::Timestamp,
        _ => Kind::Long,
    };
    let mut declared = column(name, kind, "", |_, row| Cell::Int(row as i64));
    if kind != Kind::Id {
        declared.value = Value::Record {
            table,
            column: at,
            absent,
        };
    }
    declared
}

/// A column of a table of records, for functions that read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordColumn {
    table: usize,
    column: &'static Column,
}

impl RecordColumn {
    /// Finds a column.
    pub fn find(table: &str, column: &str) -> Option<Self> {
        let mut tables = RECORD_TABLES.iter();
        let table = tables.position(|declared| declared.names.contains(&table))?;
        let columns = RECORD_TABLES.get(table)?.table.columns;
        let column = columns.iter().find(|declared| declared.name == column)?;
        Some(Self { table, column })
    }

    /// The value in a row; `None` if there is no such row.
    pub fn value(&self, data: &Data, row: i64) -> Option<Cell> {
        let row = usize::try_from(row).ok()?;
        let is_row = row < data.records.count(self.table);
        is_row.then(|| self.column.get(data, row))
    }

    /// The number in a row.
    pub fn int(&self, data: &Data, row: i64) -> Option<i64> {
        match self.value(data, row)? {
            Cell::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The text in a row.
    pub fn text<'d>(&self, data: &'d Data, row: i64) -> Option<&'d str> {
        match self.value(data, row)? {
            Cell::Text(id) => Some(data.get(id)),
            _ => None,
        }
    }
}

impl Data {
    /// A value of the table at a position. The table must have this row.
    pub(super) fn record_cell(&self, place: (usize, usize), column: &Column, row: usize) -> Cell {
        let (record, key) = self.records.cell(place, row);
        let value = key.and_then(|key| self.trace.records.cell(record, key));
        match value {
            Some(value) => self.fitting(value, column.kind.affinity()),
            None if column.kind == Kind::Timestamp => {
                Cell::unless(self.trace.records.rows().ts.get(record), NO_TIME)
            }
            None => Cell::Null,
        }
    }

    /// A value of a column of whole numbers.
    pub(super) fn number(&self, value: ArgValue) -> Cell {
        self.fitting(value, Affinity::Integer)
    }

    /// A value in the type that its column declares; NULL if it has another type.
    fn fitting(&self, value: ArgValue, affinity: Affinity) -> Cell {
        use Affinity::{Integer, Real, Text};
        match (affinity, value) {
            (Text, ArgValue::Text(id) | ArgValue::Json(id)) => Cell::text(id),
            (Real, ArgValue::Float(value)) => Cell::Float(value),
            (Real, ArgValue::Int(value)) => Cell::Float(value as f64),
            (Integer, ArgValue::Int(value)) => Cell::Int(value),
            (Integer, ArgValue::Hex(value) | ArgValue::Unsigned(value)) => Cell::Int(value as i64),
            (Integer, ArgValue::Bool(value)) => Cell::Int(value.into()),
            (Integer, ArgValue::Row(IdKind::Record, record)) => {
                let rank = self.records.rank(record);
                rank.map_or(Cell::Null, |rank| Cell::Int(rank.into()))
            }
            (Integer, ArgValue::Row(_, row)) => Cell::Int(row.into()),
            _ => Cell::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{TABLES, VIEWS};

    #[test]
    fn names_are_unique() {
        let declared = RECORD_TABLES.iter().flat_map(|it| it.names.iter().copied());
        let mut names: Vec<&str> = declared.collect();
        assert!(names.len() > 100);
        names.extend(TABLES.iter().map(|table| table.name));
        names.extend(VIEWS.iter().map(|view| view.name));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for declared in RECORD_TABLES.iter() {
            let columns = declared.table.columns.iter();
            let mut columns: Vec<&str> = columns.map(|column| column.name).collect();
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            for name in &columns {
                assert!(
                    !name.is_empty() && name.chars().all(is_name),
                    "{declared:?}"
                );
            }
            let count = columns.len();
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len(), count, "{declared:?}");
        }
    }
}
