//! Operators as tables of SQLite, whose last columns are hidden and are the arguments, as in `table_call`.

use std::ffi::{c_char, c_int, c_void};
use std::slice;
use std::sync::Arc;

use rusqlite::{Connection, ffi};

use super::collect;
use super::read_only::{self, NEW_TABLE, READ_ONLY, declare, shared};
use super::table_call::fail;
use crate::operators::rows::{Cell, Rows};
use crate::operators::{Cells, Failure, Meter, OPERATORS, Operator, Pool};

/// What SQLite keeps for an operator.
struct Registered {
    operator: &'static Operator,
    pool: Pool,
}

/// An operator, as a table that a statement uses.
#[repr(C)]
struct OpenOperator {
    /// SQLite's part, which has to be first.
    base: ffi::sqlite3_vtab,
    registered: Arc<Registered>,
}

/// A call of an operator.
#[repr(C)]
struct Call {
    /// SQLite's part, which has to be first.
    base: ffi::sqlite3_vtab_cursor,
    cells: Cells,
    /// Counts the memory of the cells.
    meter: Option<Meter>,
    row: usize,
}

static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    xConnect: Some(connect),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect),
    xOpen: Some(open),
    xClose: Some(close),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    ..READ_ONLY
};

/// Makes all operators, and the aggregate for their arguments, known to a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(connection: &Connection, pool: &Pool) -> rusqlite::Result<()> {
    collect::register(connection, pool)?;
    for &operator in OPERATORS {
        let pool = pool.clone();
        let registered = Arc::new(Registered { operator, pool });
        read_only::register(connection, operator.name, &MODULE, registered)?;
    }
    Ok(())
}

unsafe extern "C" fn connect(
    db: *mut ffi::sqlite3,
    data: *mut c_void,
    _: c_int,
    _: *const *const c_char,
    out: *mut *mut ffi::sqlite3_vtab,
    _: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes the data of the module, and an open connection.
    let (registered, code) = unsafe {
        let registered = shared::<Registered>(data);
        let code = declare(db, &declaration(registered.operator));
        (registered, code)
    };
    if code != ffi::SQLITE_OK {
        return code;
    }
    let base = NEW_TABLE;
    let table = Box::new(OpenOperator { base, registered });
    // SAFETY: SQLite passes a place for the pointer.
    unsafe { *out = Box::into_raw(table).cast() };
    ffi::SQLITE_OK
}

fn declaration(operator: &Operator) -> String {
    let columns = operator.columns.iter().map(|name| format!("\"{name}\""));
    let arguments = (0..operator.most).map(|at| format!("\"\u{1}{at}\" HIDDEN"));
    let all: Vec<String> = columns.chain(arguments).collect();
    format!("CREATE TABLE x({})", all.join(", "))
}

unsafe extern "C" fn disconnect(table: *mut ffi::sqlite3_vtab) -> c_int {
    // SAFETY: `connect` made the pointer from a Box, and SQLite calls this once.
    drop(unsafe { Box::from_raw(table.cast::<OpenOperator>()) });
    ffi::SQLITE_OK
}

/// A call needs values for the first arguments, at least one.
unsafe extern "C" fn best_index(
    table: *mut ffi::sqlite3_vtab,
    info: *mut ffi::sqlite3_index_info,
) -> c_int {
    // SAFETY: `connect` made the table; SQLite passes its description of the query, with as many constraints as it
    // says.
    unsafe {
        let open = &mut *table.cast::<OpenOperator>();
        let operator = open.registered.operator;
        let (columns, most) = (operator.columns.len(), operator.most);
        let mut given = vec![false; most];
        for number in 0..usize::try_from((*info).nConstraint).unwrap_or(0) {
            let it = *(*info).aConstraint.add(number);
            let column = usize::try_from(it.iColumn).ok();
            let Some(argument) = column.and_then(|column| column.checked_sub(columns)) else {
                continue;
            };
            if i32::from(it.op) != ffi::SQLITE_INDEX_CONSTRAINT_EQ || argument >= most {
                continue;
            }
            if it.usable == 0 {
                // SQLite has to visit the table that the argument comes from first.
                return ffi::SQLITE_CONSTRAINT;
            }
            if !std::mem::replace(&mut given[argument], true) {
                let usage = &mut *(*info).aConstraintUsage.add(number);
                usage.argvIndex = argument as c_int + 1;
                usage.omit = 1;
            }
        }
        (*info).estimatedCost = 1000.0;
        (*info).estimatedRows = 1000;
        let first = given.iter().take_while(|given| **given).count();
        if first > 0 && !given[first..].contains(&true) {
            return ffi::SQLITE_OK;
        }
        fail(
            table,
            &format!("{} needs tables as arguments", operator.name),
        )
    }
}

unsafe extern "C" fn open(
    table: *mut ffi::sqlite3_vtab,
    out: *mut *mut ffi::sqlite3_vtab_cursor,
) -> c_int {
    let call = Box::new(Call {
        base: ffi::sqlite3_vtab_cursor { pVtab: table },
        cells: Cells::new(),
        meter: None,
        row: 0,
    });
    // SAFETY: SQLite passes a place for the pointer.
    unsafe { *out = Box::into_raw(call).cast() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn close(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the pointer from a Box, and SQLite calls this once.
    drop(unsafe { Box::from_raw(cursor.cast::<Call>()) });
    ffi::SQLITE_OK
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    _: c_int,
    _: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open. SQLite passes as many values as the plan uses, which live
    // until the callback ends.
    unsafe {
        let call = &mut *cursor.cast::<Call>();
        let table = call.base.pVtab;
        let registered = (*table.cast::<OpenOperator>()).registered.clone();
        let count = usize::try_from(count).unwrap_or(0);
        let mut tables = Vec::with_capacity(count);
        for at in 0..count {
            tables.push(Rows::of(bytes(*values.add(at))));
        }
        (call.cells, call.row) = (Cells::new(), 0);
        let meter = call.meter.insert(registered.pool.meter());
        match (registered.operator.run)(&tables, meter) {
            Ok(cells) => {
                call.cells = cells;
                ffi::SQLITE_OK
            }
            Err(Failure::Interrupted) => ffi::SQLITE_INTERRUPT,
            Err(Failure::Memory) => ffi::SQLITE_NOMEM,
            Err(Failure::Refused(message)) => fail(table, &message),
        }
    }
}

/// The bytes of a value.
///
/// # Safety
/// SQLite passed the value to a callback, until whose end the bytes live.
unsafe fn bytes<'a>(value: *mut ffi::sqlite3_value) -> &'a [u8] {
    // SAFETY: the caller's promise. SQLite returns as many bytes as it says.
    unsafe {
        let start = ffi::sqlite3_value_blob(value).cast::<u8>();
        let length = usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or(0);
        if start.is_null() {
            return &[];
        }
        slice::from_raw_parts(start, length)
    }
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor.
    unsafe { (*cursor.cast::<Call>()).row += 1 };
    ffi::SQLITE_OK
}

/// How many columns a result has.
///
/// # Safety
/// The call's table is open.
unsafe fn width(call: &Call) -> usize {
    // SAFETY: the caller's promise.
    let table = unsafe { &*call.base.pVtab.cast::<OpenOperator>() };
    table.registered.operator.columns.len()
}

unsafe extern "C" fn eof(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open.
    unsafe {
        let call = &*cursor.cast::<Call>();
        c_int::from(call.row * width(call) >= call.cells.len())
    }
}

unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    out: *mut ffi::sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open. SQLite copies texts and BLOBs.
    unsafe {
        let call = &*cursor.cast::<Call>();
        let width = width(call);
        let column = usize::try_from(column)
            .ok()
            .filter(|column| *column < width);
        let cell = column.and_then(|column| call.cells.get(call.row * width + column));
        let transient = ffi::SQLITE_TRANSIENT();
        match cell {
            Some(Cell::Integer(value)) => ffi::sqlite3_result_int64(out, *value),
            Some(Cell::Real(value)) => ffi::sqlite3_result_double(out, *value),
            Some(Cell::Text(text)) => {
                let (start, length) = (text.as_ptr().cast(), text.len() as u64);
                ffi::sqlite3_result_text64(out, start, length, transient, ffi::SQLITE_UTF8 as u8);
            }
            Some(Cell::Blob(blob)) => {
                let (start, length) = (blob.as_ptr().cast(), blob.len() as u64);
                ffi::sqlite3_result_blob64(out, start, length, transient);
            }
            Some(Cell::Null) | None => ffi::sqlite3_result_null(out),
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, out: *mut i64) -> c_int {
    // SAFETY: `open` made the cursor, and SQLite passes a place for the number.
    unsafe { *out = i64::try_from((*cursor.cast::<Call>()).row).unwrap_or(i64::MAX) };
    ffi::SQLITE_OK
}
