//! `perfetto_table_info(table)`: what the columns of a table hold.

use rusqlite::functions::Context;
use rusqlite::types::ValueRef;

use super::collect::within;
use super::table_call::TableFunction;
use crate::operators::rows::{self, Cell};

/// The columns of the result.
const COLUMNS: [&str; 5] = ["table_name", "name", "col_type", "nullable", "sorted"];

/// The function over the table that [`columns`] makes.
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

/// Facts about a column after some rows.
#[derive(Default)]
struct Column {
    name: String,
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
}

impl Column {
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
        self.is_no_id |= !matches!(value, ValueRef::Integer(number) if number == self.rows);
        self.rows += 1;
        let value = Cell::from(value);
        self.is_unsorted |= self
            .last
            .as_ref()
            .is_some_and(|last| !is_ordered(last, &value));
        self.last = Some(value);
    }

    fn is_id(&self) -> bool {
        self.rows > 0 && !self.is_no_id
    }

    fn kind(&self) -> &'static str {
        match self.bounds {
            _ if self.is_id() => "id",
            _ if self.has_text => "string",
            _ if self.has_real => "double",
            Some((low, high)) if low >= 0 && high <= u32::MAX.into() => "uint32",
            Some((low, high)) if low >= i32::MIN.into() && high <= i32::MAX.into() => "int32",
            _ => "int64",
        }
    }

    /// 0 for ids, 2 for other values that rise, else 3, as in Perfetto.
    fn order(&self) -> i64 {
        match (self.is_id(), self.is_unsorted || self.has_null) {
            (true, _) => 0,
            (false, false) => 2,
            (false, true) => 3,
        }
    }

    fn cells(self, table: &str) -> [Cell; 5] {
        let text = |text: &str| Cell::Text(text.as_bytes().into());
        [
            text(table),
            text(&self.name),
            text(self.kind()),
            Cell::Integer(self.has_null.into()),
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
    let quoted = table.replace('"', "\"\"");
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{quoted}\""))?;
    let named = |name: &str| Column {
        name: name.to_owned(),
        ..Column::default()
    };
    let mut columns: Vec<Column> = statement.column_names().map(named).collect();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(within)? {
        for (at, column) in columns.iter_mut().enumerate() {
            column.add(row.get_ref(at)?);
        }
    }
    let cells: Vec<Cell> = columns
        .into_iter()
        .flat_map(|it| it.cells(&table))
        .collect();
    Ok(rows::table(&COLUMNS, &cells)?)
}
