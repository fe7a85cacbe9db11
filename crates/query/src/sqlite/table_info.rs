//! `perfetto_table_info(table)`: describes the contents of a table's columns.

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;

use super::collect::within;
use super::table_call::TableFunction;
use crate::operators::rows::{self, Cell};
use crate::schema::{self, ALIASES, Kind, RECORD_TABLES, TABLES};

/// The columns of the result.
const COLUMNS: [&str; 5] = ["id", "name", "col_type", "nullable", "sorted"];

/// The column with the number of a row, which `SELECT *` leaves out.
const AUTO_ID: &str = "_auto_id";

/// The function, which shows the table that [`columns`] creates.
pub(super) fn function() -> TableFunction {
    let columns: Vec<String> = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let named = columns.iter().enumerate();
    let bound = named.map(|(at, name)| format!("__intrinsic_table_ptr_bind(c{at}, '{name}')"));
    let bound: Vec<String> = bound.collect();
    TableFunction {
        name: "perfetto_table_info".to_owned(),
        arguments: vec!["table_name".to_owned()],
        sql: format!(
            "SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_table_info($table_name)) WHERE {}",
            bound.join(" AND ")
        ),
        columns,
    }
}

/// Facts about a column, from the rows read so far.
#[derive(Default)]
struct Column {
    name: String,
    /// Its declaration, if the table belongs to the trace.
    declared: Option<schema::Column>,
    rows: i64,
    has_null: bool,
    has_real: bool,
    has_text: bool,
    /// The smallest and the largest whole number.
    bounds: Option<(i64, i64)>,
    last: Option<Cell>,
    is_unsorted: bool,
    /// Whether a value is not the number of its row.
    is_no_id: bool,
    /// Whether a value is neither the number of its row nor the value before it.
    is_no_set: bool,
}

impl Column {
    fn new(name: &str, declared: Option<schema::Column>) -> Self {
        Self {
            name: name.to_owned(),
            declared,
            ..Self::default()
        }
    }

    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.has_null = true,
            ValueRef::Integer(number) => {
                let (low, high) = self.bounds.unwrap_or((number, number));
                self.bounds = Some((low.min(number), high.max(number)));
            }
            ValueRef::Real(_) => self.has_real = true,
            ValueRef::Text(_) | ValueRef::Blob(_) => self.has_text = true,
        }
        let is_row = matches!(value, ValueRef::Integer(number) if number == self.rows);
        self.is_no_id |= !is_row;
        self.rows += 1;
        let value = Cell::from(value);
        self.is_no_set |= !is_row && self.last.as_ref() != Some(&value);
        self.is_unsorted |= self
            .last
            .as_ref()
            .is_some_and(|last| !is_ordered(last, &value));
        self.last = Some(value);
    }

    fn is_id(&self) -> bool {
        match self.declared {
            Some(column) => column.is_row_number(),
            None => self.rows > 0 && !self.is_no_id,
        }
    }

    fn declared_kind(&self) -> Option<Kind> {
        self.declared.map(|column| column.kind)
    }

    fn kind(&self) -> &'static str {
        match (self.declared_kind(), self.bounds) {
            _ if self.is_id() => "id",
            (Some(Kind::String), _) => "string",
            (Some(Kind::Double), _) => "double",
            (Some(Kind::Timestamp | Kind::Duration), _) => "int64",
            (Some(Kind::JoinId(_) | Kind::ArgSetId | Kind::Bool), _) => "uint32",
            _ if self.has_text => "string",
            _ if self.has_real => "double",
            (_, Some((low, high))) if low >= 0 && high <= u32::MAX.into() => "uint32",
            (_, None) => "uint32",
            (_, Some((low, high))) if low >= i32::MIN.into() && high <= i32::MAX.into() => "int32",
            _ => "int64",
        }
    }

    /// How NULL is stored, as in Perfetto: 0 for columns without NULL, 1 in tables of a script, and in tables of the
    /// trace mostly 2 for numbers and 4 for texts.
    fn nullable(&self) -> i64 {
        match self.declared_kind() {
            Some(Kind::ArgSetId) => 2,
            _ if !self.has_null => 0,
            Some(Kind::String) => 4,
            Some(_) => 2,
            None => 1,
        }
    }

    /// The order of the values, as in Perfetto: 0 for ids, 1 for sets that are numbered by their first row, 2 for other
    /// increasing values, otherwise 3.
    fn order(&self) -> i64 {
        let is_rising = !self.is_unsorted && !self.has_null && self.rows > 0;
        match self.declared {
            _ if self.is_id() => 0,
            Some(column) if column.is_sorted => 2,
            None if is_rising && !self.is_no_set => 1,
            None if is_rising => 2,
            _ => 3,
        }
    }

    fn cells(self, at: usize) -> [Cell; 5] {
        let text = |text: &str| Cell::Text(text.as_bytes().into());
        [
            Cell::Integer(at as i64),
            text(&self.name),
            text(self.kind()),
            Cell::Integer(self.nullable()),
            Cell::Integer(self.order()),
        ]
    }
}

fn is_ordered(last: &Cell, value: &Cell) -> bool {
    match (last, value) {
        (Cell::Integer(last), Cell::Integer(value)) => last <= value,
        (Cell::Real(last), Cell::Real(value)) => last <= value,
        (Cell::Text(last), Cell::Text(value)) => last <= value,
        _ => false,
    }
}

/// `__intrinsic_table_info(table)`: reads the table, and describes its columns.
pub(super) fn columns(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let table: String = context.get(0)?;
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    let is_own = is_own(&connection, &table)?;
    let declared = if is_own { None } else { declared(&table) };
    let mut columns = read(&connection, &table, declared).map_err(within)?;
    if is_own {
        columns.push(Column {
            rows: 1,
            ..Column::new(AUTO_ID, None)
        });
    }
    let cells = columns.into_iter().enumerate();
    let cells: Vec<Cell> = cells.flat_map(|(at, it)| it.cells(at)).collect();
    Ok(rows::table(&COLUMNS, &cells)?)
}

/// Whether a script created the table.
fn is_own(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    // Virtual tables and views have no page.
    let sql = "SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND rootpage > 0";
    connection.prepare(sql)?.exists([table])
}

/// The declaration of a table of the trace.
fn declared(table: &str) -> Option<&'static schema::Table> {
    let is_name = |name: &str| name.eq_ignore_ascii_case(table);
    let plain = TABLES.iter().map(|table| (table.name, *table));
    let mut known = plain.chain(ALIASES.iter().copied());
    let records = || {
        RECORD_TABLES
            .iter()
            .find(|it| it.names.iter().any(|it| is_name(it)))
    };
    let found = known.find(|(name, _)| is_name(name));
    found
        .map(|(_, table)| table)
        .or_else(|| records().map(|it| &it.table))
}

/// Reads all rows.
fn read(
    connection: &Connection,
    table: &str,
    declared: Option<&schema::Table>,
) -> rusqlite::Result<Vec<Column>> {
    let quoted = table.replace('"', "\"\"");
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{quoted}\""))?;
    let known = |name: &str| {
        let mut columns = declared?.columns.iter();
        columns.find(|column| column.name == name).copied()
    };
    let names = statement.column_names();
    let mut columns: Vec<Column> = names.map(|name| Column::new(name, known(name))).collect();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for (at, column) in columns.iter_mut().enumerate() {
            column.add(row.get_ref(at)?);
        }
    }
    Ok(columns)
}
