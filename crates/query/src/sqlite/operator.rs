//! Operators as tables of SQLite. Their last columns are hidden and represent the arguments, as in `table_call`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ffi};

use super::collect;
use super::read_only::{self, READ_ONLY, fail};
use super::table::{Module, Table, arguments, close, code, connect, disconnect, given, hand_over};
use super::value::result;
use crate::operators::rows::Cell;
use crate::operators::{Cells, Meter, Operator, Pool, built_in};
use crate::schema::Data;

/// The data that SQLite holds for an operator.
struct Registered {
    operator: Operator,
    pool: Pool,
}

/// A call of an operator.
#[repr(C)]
struct Call {
    /// SQLite's part, which must come first.
    base: ffi::sqlite3_vtab_cursor,
    cells: Cells,
    /// Counts the memory of the cells.
    meter: Option<Meter>,
    row: usize,
}

/// The function that finds rows by name, and its code among the constraints.
const FIND: &CStr = c"__intrinsic_flamegraph_find";
const FIND_CODE: c_int = ffi::SQLITE_INDEX_CONSTRAINT_FUNCTION + 1;

/// The numbers of the plans.
const FIND_PLAN: c_int = 1;

static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    xConnect: Some(connect::<Registered>),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect::<Registered>),
    xOpen: Some(open),
    xClose: Some(close::<Call>),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    xFindFunction: Some(find_function),
    ..READ_ONLY
};

/// Registers all operators, and the aggregate for their arguments, with a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(
    connection: &Connection,
    data: &Arc<Data>,
    pool: &Pool,
) -> rusqlite::Result<()> {
    collect::register(connection, pool)?;
    for operator in built_in(data) {
        define(connection, operator, pool)?;
    }
    Ok(())
}

/// Registers an operator with a connection, or replaces the operator of this name.
///
/// # Errors
///
/// If the name contains a NUL, or SQLite has no memory.
pub(crate) fn define(
    connection: &Connection,
    operator: Operator,
    pool: &Pool,
) -> rusqlite::Result<()> {
    let name = operator.name.clone();
    let pool = pool.clone();
    let registered = Arc::new(Registered { operator, pool });
    read_only::register(connection, &name, &MODULE, registered)
}

impl Module for Registered {
    fn declaration(&self) -> String {
        let operator = &self.operator;
        // The columns have no types, so that values stay unchanged.
        let columns = operator.columns.iter();
        let columns = columns.map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
        let arguments = (0..operator.most).map(|at| format!("\"\u{1}{at}\" HIDDEN"));
        let all: Vec<String> = columns.chain(arguments).collect();
        format!("CREATE TABLE x({})", all.join(", "))
    }
}

/// A call must give the first arguments without gaps, and at least the minimum number.
unsafe extern "C" fn best_index(
    table: *mut ffi::sqlite3_vtab,
    info: *mut ffi::sqlite3_index_info,
) -> c_int {
    // SAFETY: `connect` made the table; SQLite passes its description of the query, with as many constraints as it
    // says.
    unsafe {
        let open = &mut *table.cast::<Table<Registered>>();
        let operator = &open.module.operator;
        let (columns, most) = (operator.columns.len(), operator.most);
        let mut given = vec![false; most];
        for number in 0..usize::try_from((*info).nConstraint).unwrap_or(0) {
            let it = *(*info).aConstraint.add(number);
            let column = usize::try_from(it.iColumn).ok();
            if c_int::from(it.op) == FIND_CODE && column == Some(0) && it.usable != 0 {
                let usage = &mut *(*info).aConstraintUsage.add(number);
                usage.argvIndex = most as c_int + 1;
                usage.omit = 1;
                (*info).idxNum = FIND_PLAN;
                continue;
            }
            let Some(argument) = column.and_then(|column| column.checked_sub(columns)) else {
                continue;
            };
            if i32::from(it.op) != ffi::SQLITE_INDEX_CONSTRAINT_EQ || argument >= most {
                continue;
            }
            if it.usable == 0 {
                // SQLite must first visit the table that the argument comes from.
                return ffi::SQLITE_CONSTRAINT;
            }
            if !std::mem::replace(&mut given[argument], true) {
                let usage = &mut *(*info).aConstraintUsage.add(number);
                usage.argvIndex = argument as c_int + 1;
                usage.omit = 1;
            }
        }
        (*info).estimatedCost = operator.rows as f64;
        (*info).estimatedRows = operator.rows;
        let first = given.iter().take_while(|given| **given).count();
        if first >= operator.least && !given[first..].contains(&true) {
            return ffi::SQLITE_OK;
        }
        let least = arguments(operator.least);
        fail(table, &format!("{} needs at least {least}", operator.name))
    }
}

unsafe extern "C" fn open(
    table: *mut ffi::sqlite3_vtab,
    out: *mut *mut ffi::sqlite3_vtab_cursor,
) -> c_int {
    let call = Call {
        base: ffi::sqlite3_vtab_cursor { pVtab: table },
        cells: Cells::new(),
        meter: None,
        row: 0,
    };
    // SAFETY: SQLite passes the place.
    unsafe { hand_over(call, out) }
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    plan: c_int,
    _: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: `open` made the cursor, whose table is open. SQLite passes as many values as the plan uses, which live
    // until the callback ends.
    unsafe {
        let call = &mut *cursor.cast::<Call>();
        let table = call.base.pVtab;
        let registered = (*table.cast::<Table<Registered>>()).module.clone();
        let given = given(count, values);
        (call.cells, call.row) = (Cells::new(), 0);
        let meter = call.meter.insert(registered.pool.meter());
        let operator = &registered.operator;
        let found = match (&operator.find, given.last()) {
            (Some(find), Some(ValueRef::Text(name))) if plan == FIND_PLAN => {
                find(&String::from_utf8_lossy(name))
            }
            _ => (operator.run)(&given, meter),
        };
        code(table, found.map(|cells| call.cells = cells))
    }
}

/// `WHERE __intrinsic_flamegraph_find(…)` is a constraint of operators that have rows with names.
unsafe extern "C" fn find_function(
    table: *mut ffi::sqlite3_vtab,
    _: c_int,
    name: *const c_char,
    function: *mut Option<
        unsafe extern "C" fn(*mut ffi::sqlite3_context, c_int, *mut *mut ffi::sqlite3_value),
    >,
    _: *mut *mut c_void,
) -> c_int {
    // SAFETY: `connect` made the table. SQLite passes a text that ends with a zero, and a place for the function.
    unsafe {
        let open = &*table.cast::<Table<Registered>>();
        let operator = &open.module.operator;
        let name = CStr::from_ptr(name).to_bytes();
        if operator.find.is_none() || !name.eq_ignore_ascii_case(FIND.to_bytes()) {
            return 0;
        }
        *function = Some(not_used);
    }
    FIND_CODE
}

/// The constraint was not passed to the operator, for example because it is below an OR.
unsafe extern "C" fn not_used(
    context: *mut ffi::sqlite3_context,
    _: c_int,
    _: *mut *mut ffi::sqlite3_value,
) {
    let message = c"__intrinsic_flamegraph_find must be a condition of its own";
    // SAFETY: SQLite passes the place of the result, and copies the message, which ends with a zero.
    unsafe { ffi::sqlite3_result_error(context, message.as_ptr(), -1) };
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor.
    unsafe { (*cursor.cast::<Call>()).row += 1 };
    ffi::SQLITE_OK
}

/// The number of columns of a result.
///
/// # Safety
///
/// The call's table is open.
unsafe fn width(call: &Call) -> usize {
    // SAFETY: the caller's promise.
    let table = unsafe { &*call.base.pVtab.cast::<Table<Registered>>() };
    table.module.operator.columns.len()
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
        result(out, cell.map_or(ValueRef::Null, Cell::value));
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, out: *mut i64) -> c_int {
    // SAFETY: `open` made the cursor, and SQLite passes a place for the number.
    unsafe { *out = i64::try_from((*cursor.cast::<Call>()).row).unwrap_or(i64::MAX) };
    ffi::SQLITE_OK
}
