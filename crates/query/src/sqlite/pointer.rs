//! `__intrinsic_table_ptr(table)`: reads a table that is stored in a value. `WHERE __intrinsic_table_ptr_bind(c0,
//! 'id')` binds the column `c0` to `id`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ffi};

use super::read_only::{self, READ_ONLY, fail};
use super::table::{Module, Table, close, code, connect, disconnect, given, hand_over};
use super::value::result;
use crate::operators::intrinsic::scan::MOST_COLUMNS;
use crate::operators::rows::{self, Rows};
use crate::operators::{Failure, Meter, Pool};

/// The function that names a column, and its code among the constraints.
const BIND: &CStr = c"__intrinsic_table_ptr_bind";
const BIND_CODE: c_int = ffi::SQLITE_INDEX_CONSTRAINT_FUNCTION + 1;

/// A cursor over the rows of a value.
#[repr(C)]
struct Cursor {
    /// SQLite's part, which must come first.
    base: ffi::sqlite3_vtab_cursor,
    /// The rows, as encoded by `operators::rows`.
    table: Vec<u8>,
    /// Counts the memory of the table.
    meter: Option<Meter>,
    /// The byte range of each cell of the current row; empty at the end.
    row: Vec<Range<usize>>,
    /// The start of the next row.
    next: usize,
    width: u8,
    number: i64,
    /// The cell of each column; `None` if it is not bound.
    bound: [Option<usize>; MOST_COLUMNS],
}

static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    xConnect: Some(connect::<Pool>),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect::<Pool>),
    xOpen: Some(open),
    xClose: Some(close::<Cursor>),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    xFindFunction: Some(find_function),
    ..READ_ONLY
};

/// Registers the table with a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(connection: &Connection, pool: &Pool) -> rusqlite::Result<()> {
    read_only::register(
        connection,
        "__intrinsic_table_ptr",
        &MODULE,
        Arc::new(pool.clone()),
    )?;
    let name = BIND.to_str().unwrap_or_default();
    let flags = rusqlite::functions::FunctionFlags::SQLITE_UTF8;
    connection.create_scalar_function(name, 2, flags, |_| {
        let message = "__intrinsic_table_ptr_bind must be a condition of __intrinsic_table_ptr";
        Err::<rusqlite::types::Null, _>(rusqlite::Error::UserFunctionError(message.into()))
    })
}

impl Module for Pool {
    fn declaration(&self) -> String {
        let columns: Vec<String> = (0..MOST_COLUMNS).map(|at| format!("c{at}")).collect();
        format!("CREATE TABLE x({}, tab HIDDEN)", columns.join(", "))
    }
}

/// A cursor needs the table. The text of the plan lists the bound columns; the other values are their names.
unsafe extern "C" fn best_index(
    table: *mut ffi::sqlite3_vtab,
    info: *mut ffi::sqlite3_index_info,
) -> c_int {
    // SAFETY: `connect` made the table; SQLite passes its description of the query, with as many constraints as it
    // says. `%s` copies the text into memory that SQLite frees.
    unsafe {
        let mut has_table = false;
        let mut bound: Vec<String> = Vec::new();
        for number in 0..usize::try_from((*info).nConstraint).unwrap_or(0) {
            let it = *(*info).aConstraint.add(number);
            let column = usize::try_from(it.iColumn).unwrap_or(usize::MAX);
            let is_table =
                column == MOST_COLUMNS && c_int::from(it.op) == ffi::SQLITE_INDEX_CONSTRAINT_EQ;
            let is_bind = column < MOST_COLUMNS && c_int::from(it.op) == BIND_CODE;
            if (is_table || is_bind) && it.usable == 0 {
                // SQLite must first visit the table that the value comes from.
                return ffi::SQLITE_CONSTRAINT;
            }
            let usage = &mut *(*info).aConstraintUsage.add(number);
            if is_table && !has_table {
                has_table = true;
                usage.argvIndex = 1;
                usage.omit = 1;
            } else if is_bind {
                bound.push(column.to_string());
                usage.argvIndex = bound.len() as c_int + 1;
                usage.omit = 1;
            }
        }
        if !has_table {
            return fail(table, "__intrinsic_table_ptr needs a table");
        }
        let text = CString::new(bound.join(" ")).unwrap_or_default();
        (*info).idxStr = ffi::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr());
        (*info).needToFreeIdxStr = 1;
        (*info).estimatedCost = 1000.0;
        (*info).estimatedRows = 1000;
        if (*info).idxStr.is_null() {
            return ffi::SQLITE_NOMEM;
        }
        ffi::SQLITE_OK
    }
}

unsafe extern "C" fn open(
    table: *mut ffi::sqlite3_vtab,
    out: *mut *mut ffi::sqlite3_vtab_cursor,
) -> c_int {
    let cursor = Cursor {
        base: ffi::sqlite3_vtab_cursor { pVtab: table },
        table: Vec::new(),
        meter: None,
        row: Vec::new(),
        next: 0,
        width: 0,
        number: -1,
        bound: [None; MOST_COLUMNS],
    };
    // SAFETY: SQLite passes the place.
    unsafe { hand_over(cursor, out) }
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    _: c_int,
    bound: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open. SQLite passes the text of `best_index`, and as many values
    // as the plan uses, which live until the callback ends.
    unsafe {
        let cursor = &mut *cursor.cast::<Cursor>();
        let table = cursor.base.pVtab;
        let pool = (*table.cast::<Table<Pool>>()).module.clone();
        let given = given(count, values);
        let bound = CStr::from_ptr(bound).to_str().unwrap_or_default();
        let columns: Vec<usize> = bound.split(' ').filter_map(|it| it.parse().ok()).collect();
        let begun = cursor.begin(&given, &columns, pool.meter());
        code(table, begun.and_then(|()| cursor.advance()))
    }
}

impl Cursor {
    /// Takes the table and the names of the columns that are bound.
    fn begin(
        &mut self,
        given: &[ValueRef<'_>],
        columns: &[usize],
        mut meter: Meter,
    ) -> Result<(), Failure> {
        let (table, wanted) = match given.split_first() {
            Some((table, wanted)) => (*table, wanted),
            None => (ValueRef::Null, given),
        };
        let mut rows = Rows::of(table)?;
        let names = rows.take_names()?;
        self.bound = [None; MOST_COLUMNS];
        for (column, name) in columns.iter().zip(wanted) {
            let ValueRef::Text(name) = name else {
                return Err(Failure::refused("the name of a column is no text"));
            };
            let found = names.iter().position(|known| known == name);
            if found.is_none() && !names.is_empty() {
                let name = String::from_utf8_lossy(name);
                return Err(Failure::refused(format!("the table has no column {name}")));
            }
            if let Some(bound) = self.bound.get_mut(*column) {
                *bound = found;
            }
        }
        meter.grow(rows.rest().len())?;
        self.table = rows.rest().to_vec();
        self.width = u8::try_from(rows.width()).unwrap_or(u8::MAX);
        (self.next, self.number, self.meter) = (0, -1, Some(meter));
        Ok(())
    }

    /// Moves to the next row.
    fn advance(&mut self) -> Result<(), Failure> {
        let left = self.table.get(self.next..).unwrap_or_default();
        let mut rows = Rows::new(self.width, left);
        let mut cells = Vec::with_capacity(self.row.len());
        rows.next_row(&mut cells)?;
        self.row.clear();
        for cell in cells {
            let end = self.next + cell.len();
            self.row.push(self.next..end);
            self.next = end;
        }
        self.number += 1;
        Ok(())
    }

    /// The value of a column.
    fn value(&self, column: usize) -> Result<ValueRef<'_>, &'static CStr> {
        let bound = self.bound.get(column).copied().flatten();
        let bound = bound.ok_or(c"a column of __intrinsic_table_ptr is read that is not bound")?;
        let cell = self
            .row
            .get(bound)
            .and_then(|cell| self.table.get(cell.clone()));
        Ok(cell.map_or(ValueRef::Null, rows::value))
    }
}

/// `__intrinsic_table_ptr_bind` is a constraint.
unsafe extern "C" fn find_function(
    _: *mut ffi::sqlite3_vtab,
    _: c_int,
    name: *const c_char,
    function: *mut Option<
        unsafe extern "C" fn(*mut ffi::sqlite3_context, c_int, *mut *mut ffi::sqlite3_value),
    >,
    _: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes a text that ends with a zero, and a place for the function.
    unsafe {
        if !CStr::from_ptr(name)
            .to_bytes()
            .eq_ignore_ascii_case(BIND.to_bytes())
        {
            return 0;
        }
        *function = Some(is_bound);
    }
    BIND_CODE
}

/// SQLite calls this for all constraints of a query except the first. A column that is not bound fails when it is read.
unsafe extern "C" fn is_bound(
    context: *mut ffi::sqlite3_context,
    _: c_int,
    _: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: SQLite passes the place of the result.
    unsafe { ffi::sqlite3_result_int(context, 1) };
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open.
    unsafe {
        let cursor = &mut *cursor.cast::<Cursor>();
        match cursor.advance() {
            Ok(()) => ffi::SQLITE_OK,
            Err(_) => fail(cursor.base.pVtab, "the table is damaged"),
        }
    }
}

unsafe extern "C" fn eof(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor.
    c_int::from(unsafe { (*cursor.cast::<Cursor>()).row.is_empty() })
}

unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    out: *mut ffi::sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: `open` made the cursor. SQLite passes the place of the result, and copies the message.
    unsafe {
        let cursor = &*cursor.cast::<Cursor>();
        match cursor.value(usize::try_from(column).unwrap_or(usize::MAX)) {
            Ok(value) => result(out, value),
            Err(message) => ffi::sqlite3_result_error(out, message.as_ptr(), -1),
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, out: *mut i64) -> c_int {
    // SAFETY: `open` made the cursor, and SQLite passes a place for the number.
    unsafe { *out = (*cursor.cast::<Cursor>()).number };
    ffi::SQLITE_OK
}
