//! How tables are declared.

pub(crate) use super::cell::Cell;
use super::data::Data;

/// The content of a column, under PerfettoSQL's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The number of the row.
    Id,
    /// The number of a row of the named table.
    JoinId(&'static str),
    /// A set of rows of `args`.
    ArgSetId,
    /// Nanoseconds on the trace's clock.
    Timestamp,
    /// Nanoseconds.
    Duration,
    /// A whole number.
    Long,
    /// 0 or 1.
    Bool,
    /// A number with a fraction.
    Double,
    /// Text.
    String,
}

/// The type affinity of a column, which determines how SQLite compares its values with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Affinity {
    Integer,
    Real,
    Text,
}

impl Affinity {
    /// The type in a declaration of SQLite.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Integer => "BIGINT",
            Self::Real => "DOUBLE",
            Self::Text => "TEXT",
        }
    }
}

impl Kind {
    pub fn affinity(self) -> Affinity {
        match self {
            Self::Double => Affinity::Real,
            Self::String => Affinity::Text,
            _ => Affinity::Integer,
        }
    }

    /// The type in documentation.
    pub fn name(self) -> String {
        match self {
            Self::Id => "ID".to_owned(),
            Self::JoinId(table) => format!("JOINID({table}.id)"),
            Self::ArgSetId => "ARGSETID".to_owned(),
            Self::Timestamp => "TIMESTAMP".to_owned(),
            Self::Duration => "DURATION".to_owned(),
            Self::Long => "LONG".to_owned(),
            Self::Bool => "BOOL".to_owned(),
            Self::Double => "DOUBLE".to_owned(),
            Self::String => "STRING".to_owned(),
        }
    }
}

/// The source of a column's values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A function of the row's number, which is in range.
    Of(fn(&Data, usize) -> Cell),
    /// Always NULL.
    Absent,
    /// The cells of records: the place of the table, and of the column in it.
    Record {
        /// The place of the table.
        table: usize,
        /// The place of the column.
        column: usize,
        /// The value for records without this cell.
        absent: Option<i64>,
    },
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub doc: &'static str,
    /// The source of its values.
    pub value: Value,
    /// Whether `SELECT *` leaves it out: columns that PerfettoSQL does not have.
    pub is_hidden: bool,
    /// Whether its values increase from row to row. This is checked before it is relied on.
    pub is_sorted: bool,
}

impl Column {
    /// A column that `SELECT *` leaves out.
    pub const fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// A column whose values increase from row to row.
    pub const fn sorted(mut self) -> Self {
        self.is_sorted = true;
        self
    }

    /// The value in a row, which exists.
    #[inline]
    pub fn get(&self, data: &Data, row: usize) -> Cell {
        match self.value {
            Value::Of(value) => value(data, row),
            Value::Absent => Cell::Null,
            Value::Record {
                table,
                column,
                absent,
            } => match data.record_cell((table, column), self, row) {
                Cell::Null => absent.map_or(Cell::Null, Cell::Int),
                cell => cell,
            },
        }
    }

    /// Whether its value is the row's number.
    pub fn is_row_number(&self) -> bool {
        self.kind == Kind::Id
    }

    /// Whether it is always NULL.
    pub fn is_absent(&self) -> bool {
        matches!(self.value, Value::Absent)
    }
}

/// A column.
pub(super) const fn column(
    name: &'static str,
    kind: Kind,
    doc: &'static str,
    value: fn(&Data, usize) -> Cell,
) -> Column {
    Column {
        name,
        kind,
        doc,
        value: Value::Of(value),
        is_hidden: false,
        is_sorted: false,
    }
}

/// The row's number under this name.
pub(super) const fn id(name: &'static str, doc: &'static str) -> Column {
    column(name, Kind::Id, doc, |_, row| Cell::Int(row as i64))
}

/// A column that exists only for compatibility with PerfettoSQL: no trace has a value for it.
pub(super) const fn absent(name: &'static str, kind: Kind) -> Column {
    Column {
        name,
        kind,
        doc: "Always NULL.",
        value: Value::Absent,
        is_hidden: false,
        is_sorted: false,
    }
}

/// The machine of a row.
pub(super) const fn machine(value: fn(&Data, usize) -> Cell) -> Column {
    column(
        "machine_id",
        Kind::Long,
        "The machine: 0 is the one that recorded.",
        value,
    )
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    pub doc: &'static str,
    pub columns: &'static [Column],
    /// The number of rows.
    pub rows: fn(&Data) -> usize,
}

impl Table {
    /// The `CREATE TABLE` statement that SQLite expects from a virtual table.
    pub fn declaration(&self) -> String {
        let column = |column: &Column| {
            let kind = column.kind.affinity().sql();
            let hidden = if column.is_hidden { " HIDDEN" } else { "" };
            format!("\"{}\" {kind}{hidden}", column.name)
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("CREATE TABLE x({})", columns.join(", "))
    }
}
