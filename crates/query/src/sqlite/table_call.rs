//! Functions of scripts that return a table: each call runs a `SELECT`.
//!
//! SQLite sees a virtual table whose last columns are hidden and represent the arguments: `FROM f(1, 2)` is `FROM f
//! WHERE arg1 = 1 AND arg2 = 2`. As in `module`, SQLite hands each callback the pointers that the earlier ones
//! returned, and frees each exactly once.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use rusqlite::{Connection, ffi};

use super::call::Depth;
use super::read_only::{self, READ_ONLY, fail};
use super::table::{self, Module, Table, close, connect, disconnect, hand_over};

/// A function that returns a table.
#[derive(Debug)]
pub(crate) struct TableFunction {
    pub name: String,
    /// The names of the arguments, which the `SELECT` refers to as `$name`.
    pub arguments: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    pub sql: String,
}

/// A call of a function.
#[repr(C)]
struct Call {
    /// SQLite's part, which must come first.
    base: ffi::sqlite3_vtab_cursor,
    function: Arc<TableFunction>,
    /// The `SELECT`, or null before the first call.
    statement: *mut ffi::sqlite3_stmt,
    /// The number of the current row; `None` at the end.
    row: Option<i64>,
}

static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    xConnect: Some(connect::<TableFunction>),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect::<TableFunction>),
    xOpen: Some(open),
    xClose: Some(close::<Call>),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    ..READ_ONLY
};

/// Defines a function, or replaces the function of this name.
///
/// # Errors
///
/// If the name contains a NUL, or SQLite has no memory.
pub(crate) fn define(connection: &Connection, function: TableFunction) -> rusqlite::Result<()> {
    let name = function.name.clone();
    read_only::register(connection, &name, &MODULE, Arc::new(function))
}

/// Removes a function. It is not an error if there is none.
///
/// # Errors
///
/// If the name is not a valid name.
pub(crate) fn remove(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: the handle is open; without a module, SQLite removes the one of this name.
    unsafe {
        let (db, none) = (connection.handle(), ptr::null());
        ffi::sqlite3_create_module_v2(db, name.as_ptr(), none, ptr::null_mut(), None);
    }
    Ok(())
}

impl Module for TableFunction {
    /// The columns without types, so that the values of the `SELECT` stay unchanged, and the hidden arguments.
    fn declaration(&self) -> String {
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let columns = self.columns.iter().map(quoted);
        let arguments = (0..self.arguments.len()).map(|at| format!("\"\u{1}{at}\" HIDDEN"));
        let all: Vec<String> = columns.chain(arguments).collect();
        format!("CREATE TABLE x({})", all.join(", "))
    }
}

/// A call needs a value for each argument.
unsafe extern "C" fn best_index(
    table: *mut ffi::sqlite3_vtab,
    info: *mut ffi::sqlite3_index_info,
) -> c_int {
    // SAFETY: `connect` made the table; SQLite passes its description of the query, with as many constraints as it
    // says.
    unsafe {
        let function = &(*table.cast::<Table<TableFunction>>()).module;
        let (columns, arguments) = (function.columns.len(), function.arguments.len());
        let mut given = vec![false; arguments];
        let mut is_waiting = false;
        for number in 0..usize::try_from((*info).nConstraint).unwrap_or(0) {
            let it = *(*info).aConstraint.add(number);
            let column = usize::try_from(it.iColumn).ok();
            let Some(argument) = column.and_then(|column| column.checked_sub(columns)) else {
                continue;
            };
            if i32::from(it.op) != ffi::SQLITE_INDEX_CONSTRAINT_EQ || argument >= arguments {
                continue;
            }
            if it.usable == 0 {
                is_waiting = true;
            } else if !std::mem::replace(&mut given[argument], true) {
                let usage = &mut *(*info).aConstraintUsage.add(number);
                usage.argvIndex = argument as c_int + 1;
                usage.omit = 1;
            }
        }
        (*info).estimatedCost = 1000.0;
        (*info).estimatedRows = 100;
        if given.iter().all(|given| *given) {
            return ffi::SQLITE_OK;
        }
        if is_waiting {
            // SQLite must first visit the table that the argument comes from.
            return ffi::SQLITE_CONSTRAINT;
        }
        let message = format!("{} needs {}", function.name, table::arguments(arguments));
        fail(table, &message)
    }
}

unsafe extern "C" fn open(
    table: *mut ffi::sqlite3_vtab,
    out: *mut *mut ffi::sqlite3_vtab_cursor,
) -> c_int {
    // SAFETY: `connect` made the table. SQLite closes all cursors of a table before it drops the table.
    let function = unsafe { (*table.cast::<Table<TableFunction>>()).module.clone() };
    let call = Call {
        base: ffi::sqlite3_vtab_cursor { pVtab: table },
        function,
        statement: ptr::null_mut(),
        row: None,
    };
    // SAFETY: SQLite passes the place.
    unsafe { hand_over(call, out) }
}

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: nobody else has the statement.
        unsafe { ffi::sqlite3_finalize(self.statement) };
    }
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    _: c_int,
    _: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open. SQLite passes as many values as the plan uses: one for each
    // argument.
    unsafe {
        let call = &mut *cursor.cast::<Call>();
        if call.statement.is_null() {
            let code = prepare(call);
            if code != ffi::SQLITE_OK {
                return code;
            }
        }
        ffi::sqlite3_reset(call.statement);
        for at in 0..usize::try_from(count)
            .unwrap_or(0)
            .min(call.function.arguments.len())
        {
            let Ok(name) = CString::new(format!("${}", call.function.arguments[at])) else {
                continue;
            };
            let place = ffi::sqlite3_bind_parameter_index(call.statement, name.as_ptr());
            if place > 0 {
                ffi::sqlite3_bind_value(call.statement, place, *values.add(at));
            }
        }
        call.row = Some(-1);
        step(call)
    }
}

/// Prepares the `SELECT`.
///
/// # Safety
/// The call's table is open.
unsafe fn prepare(call: &mut Call) -> c_int {
    let Ok(sql) = CString::new(call.function.sql.as_str()) else {
        return ffi::SQLITE_ERROR;
    };
    // SAFETY: the caller's promise; the text ends with a zero, and SQLite keeps no pointer to it.
    unsafe {
        let table = call.base.pVtab;
        let db = (*table.cast::<Table<TableFunction>>()).db;
        let statement = &mut call.statement;
        match ffi::sqlite3_prepare_v2(db, sql.as_ptr(), -1, statement, ptr::null_mut()) {
            ffi::SQLITE_OK => ffi::SQLITE_OK,
            _ => fail(table, &message(db)),
        }
    }
}

/// SQLite's message about its last error.
///
/// # Safety
/// The connection is open.
unsafe fn message(db: *mut ffi::sqlite3) -> String {
    // SAFETY: the caller's promise. The message is a text that ends with a zero.
    unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(db)) }
        .to_string_lossy()
        .into_owned()
}

/// Moves to the next row of the `SELECT`.
///
/// # Safety
///
/// The call's table is open, and its statement is prepared.
unsafe fn step(call: &mut Call) -> c_int {
    let table = call.base.pVtab;
    let Some(_depth) = Depth::enter() else {
        let message = format!("{} calls itself too deeply", call.function.name);
        // SAFETY: the caller's promise.
        return unsafe { fail(table, &message) };
    };
    // SAFETY: the caller's promise.
    unsafe {
        match ffi::sqlite3_step(call.statement) {
            ffi::SQLITE_ROW => call.row = call.row.map(|row| row + 1),
            ffi::SQLITE_DONE => call.row = None,
            code @ (ffi::SQLITE_INTERRUPT | ffi::SQLITE_NOMEM) => return code,
            _ => return fail(table, &message((*table.cast::<Table<TableFunction>>()).db)),
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor, and `filter` was called.
    unsafe { step(&mut *cursor.cast::<Call>()) }
}

unsafe extern "C" fn eof(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor.
    let call = unsafe { &*cursor.cast::<Call>() };
    c_int::from(call.row.is_none())
}

unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    out: *mut ffi::sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: `open` made the cursor, and the statement has a row. SQLite copies the value.
    unsafe {
        let call = &*cursor.cast::<Call>();
        if usize::try_from(column).is_ok_and(|column| column < call.function.columns.len()) {
            ffi::sqlite3_result_value(out, ffi::sqlite3_column_value(call.statement, column));
        } else {
            ffi::sqlite3_result_null(out);
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, out: *mut i64) -> c_int {
    // SAFETY: `open` made the cursor, and SQLite passes a place for the number.
    unsafe { *out = (*cursor.cast::<Call>()).row.unwrap_or(-1) };
    ffi::SQLITE_OK
}
