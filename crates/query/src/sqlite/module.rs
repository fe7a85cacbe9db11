//! The callbacks through which SQLite reads a [`Source`].
//!
//! SQLite hands each callback the pointers that the earlier ones returned: a [`Source`] from registration, a [`Table`]
//! from [`connect`], a [`Cursor`] from [`open`]. It never runs two callbacks at once for one connection, and frees each
//! pointer exactly once.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use rusqlite::{Connection, ffi};

use super::code;
use super::interval::{Bound, Op, interval};
use super::plan::{Constraint, Plan, Term, plan};
use super::read_only::{self, READ_ONLY};
use super::source::{Rows, Source};
use super::table::{Module, Table, close, connect, disconnect, hand_over};
use super::value::{bound, text};
use crate::schema::Cell;

/// A cursor over the rows of a table.
#[repr(C)]
struct Cursor {
    /// SQLite's part, which must come first.
    base: ffi::sqlite3_vtab_cursor,
    source: Arc<Source>,
    rows: Rows,
    /// The current row; `None` at the end.
    row: Option<usize>,
}

static MODULE: ffi::sqlite3_module = ffi::sqlite3_module {
    xConnect: Some(connect::<Source>),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect::<Source>),
    xOpen: Some(open),
    xClose: Some(close::<Cursor>),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(rowid),
    ..READ_ONLY
};

/// Registers a table with a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(
    connection: &Connection,
    name: &str,
    source: Arc<Source>,
) -> rusqlite::Result<()> {
    read_only::register(connection, name, &MODULE, source)
}

impl Module for Source {
    fn declaration(&self) -> String {
        self.table.declaration()
    }
}

unsafe extern "C" fn best_index(
    table: *mut ffi::sqlite3_vtab,
    info: *mut ffi::sqlite3_index_info,
) -> c_int {
    // SAFETY: `connect` made the table, which lives until `disconnect`.
    let source = unsafe { &(*table.cast::<Table<Source>>()).module };
    // SAFETY: SQLite passes its description of the query, valid during this call.
    let (constraints, terms) = unsafe { (constraints(source, info), terms(info)) };
    let plan = plan(source, &constraints, &terms);
    // SAFETY: as above.
    unsafe { answer(source, &plan, info) }
}

/// The constraints that can be used.
///
/// # Safety
///
/// `info` is the pointer that SQLite passed to `xBestIndex`.
unsafe fn constraints(source: &Source, info: *mut ffi::sqlite3_index_info) -> Vec<Constraint> {
    // SAFETY: the caller's promise.
    let count = usize::try_from(unsafe { (*info).nConstraint }).unwrap_or(0);
    let one = |number: usize| {
        // SAFETY: SQLite passes as many constraints as `nConstraint` says.
        let it = unsafe { *(*info).aConstraint.add(number) };
        let op = op(it.op).filter(|_| it.usable != 0)?;
        let column = usize::try_from(it.iColumn).ok();
        // SAFETY: the constraint exists, and `info` is of this call.
        let (is_binary, value) = unsafe { (is_binary(info, number), known_value(info, number)) };
        let is_text = source.is_text(column);
        let usable = !is_text || (op == Op::Equal && is_binary);
        usable.then_some(Constraint {
            number,
            column,
            op,
            value: value.filter(|_| !is_text),
        })
    };
    (0..count).filter_map(one).collect()
}

fn op(code: u8) -> Option<Op> {
    Some(match i32::from(code) {
        ffi::SQLITE_INDEX_CONSTRAINT_EQ => Op::Equal,
        ffi::SQLITE_INDEX_CONSTRAINT_LT => Op::Less,
        ffi::SQLITE_INDEX_CONSTRAINT_LE => Op::LessOrEqual,
        ffi::SQLITE_INDEX_CONSTRAINT_GT => Op::Greater,
        ffi::SQLITE_INDEX_CONSTRAINT_GE => Op::GreaterOrEqual,
        _ => return None,
    })
}

/// Whether a constraint compares texts byte by byte.
///
/// # Safety
/// As [`constraints`], and the constraint exists.
unsafe fn is_binary(info: *mut ffi::sqlite3_index_info, number: usize) -> bool {
    // SAFETY: the caller's promise; the result is null or a text that ends with a zero.
    unsafe {
        let name = ffi::sqlite3_vtab_collation(info, number as c_int);
        !name.is_null()
            && CStr::from_ptr(name)
                .to_bytes()
                .eq_ignore_ascii_case(b"BINARY")
    }
}

/// The value of a constraint, if it is a constant.
///
/// # Safety
/// As [`is_binary`].
unsafe fn known_value(info: *mut ffi::sqlite3_index_info, number: usize) -> Option<Bound> {
    let mut value = ptr::null_mut();
    // SAFETY: the caller's promise; a value that is returned lives during the call.
    unsafe {
        let code = ffi::sqlite3_vtab_rhs_value(info, number as c_int, &mut value);
        (code == ffi::SQLITE_OK && !value.is_null()).then(|| bound(value))
    }
}

/// The requested order.
///
/// # Safety
///
/// As [`constraints`].
unsafe fn terms(info: *mut ffi::sqlite3_index_info) -> Vec<Term> {
    // SAFETY: the caller's promise.
    let count = usize::try_from(unsafe { (*info).nOrderBy }).unwrap_or(0);
    let term = |number| {
        // SAFETY: SQLite passes as many terms as `nOrderBy` says.
        let term = unsafe { *(*info).aOrderBy.add(number) };
        Term {
            column: usize::try_from(term.iColumn).ok(),
            is_descending: term.desc != 0,
        }
    };
    (0..count).map(term).collect()
}

/// Returns the plan to SQLite.
///
/// # Safety
/// As [`constraints`]; the plan uses constraints of `info`.
unsafe fn answer(source: &Source, plan: &Plan, info: *mut ffi::sqlite3_index_info) -> c_int {
    let text = code::text(plan);
    // SAFETY: the caller's promise. `%s` copies the text into memory that SQLite frees.
    unsafe {
        for (place, it) in plan.used.iter().enumerate() {
            let usage = &mut *(*info).aConstraintUsage.add(it.number);
            usage.argvIndex = place as c_int + 1;
            // Numbers are compared exactly as SQLite does; a text may be compared with a number.
            usage.omit = u8::from(!source.is_text(it.column));
        }
        (*info).idxNum = code::number(plan);
        (*info).idxStr = ffi::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr());
        (*info).needToFreeIdxStr = 1;
        (*info).orderByConsumed = c_int::from(plan.is_in_order);
        (*info).estimatedCost = plan.cost;
        (*info).estimatedRows = plan.rows as i64;
        if plan.is_unique {
            (*info).idxFlags |= ffi::SQLITE_INDEX_SCAN_UNIQUE;
        }
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
    // SAFETY: `table` was made by `connect`. SQLite closes all cursors of a table before it drops the table.
    let source = unsafe { (*table.cast::<Table<Source>>()).module.clone() };
    let cursor = Cursor {
        base: ffi::sqlite3_vtab_cursor { pVtab: table },
        source,
        rows: Rows::default(),
        row: None,
    };
    // SAFETY: SQLite passes the place.
    unsafe { hand_over(cursor, out) }
}

unsafe extern "C" fn filter(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    number: c_int,
    steps: *const c_char,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> c_int {
    // SAFETY: `open` made the cursor, and nobody else uses it now.
    let cursor = unsafe { &mut *cursor.cast::<Cursor>() };
    // SAFETY: the text is the one of `answer`.
    let steps = unsafe { CStr::from_ptr(steps) };
    let (is_reversed, order) = code::from_number(number);
    let source = &*cursor.source;
    let order = order.and_then(|column| source.order(column));
    let mut rows = Rows::all(source, order, is_reversed);
    let count = usize::try_from(count).unwrap_or(0);
    for (place, (column, op)) in code::steps(steps).take(count).enumerate() {
        // SAFETY: SQLite passes as many values as the plan uses, valid during this call.
        let value = unsafe { *values.add(place) };
        match column.filter(|_| source.is_text(column)) {
            // SAFETY: as above.
            Some(column) => unsafe { with_text(source, &mut rows, column, value, is_reversed) },
            None => {
                // SAFETY: as above.
                let bound = unsafe { bound(value) };
                rows.narrow(source, row_or(source, column), interval(op, bound));
            }
        }
    }
    cursor.row = rows.current();
    cursor.rows = rows;
    ffi::SQLITE_OK
}

/// The column, or `None` if it contains the row's number, because then no value must be read.
fn row_or(source: &Source, column: Option<usize>) -> Option<usize> {
    let is_number = |at: &usize| {
        let column = source.table.columns.get(*at);
        column.is_some_and(|column| column.is_row_number())
    };
    column.filter(|at| !is_number(at))
}

/// Keeps the rows with a text; none if the value is NULL. If the value is a number, SQLite's rules depend on the
/// number's origin. Then all rows stay in the order of the table, and SQLite compares them itself.
///
/// # Safety
///
/// `value` is one that SQLite passed to `xFilter`.
unsafe fn with_text(
    source: &Source,
    rows: &mut Rows,
    column: usize,
    value: *mut ffi::sqlite3_value,
    is_reversed: bool,
) {
    // SAFETY: the caller's promise.
    let (text, kind) = unsafe { (text(value), ffi::sqlite3_value_type(value)) };
    match text {
        Some(text) => rows.narrow_to_text(source, column, text),
        None if kind == ffi::SQLITE_NULL => rows.clear(),
        None => *rows = Rows::all(source, None, is_reversed),
    }
}

unsafe extern "C" fn next(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor, and nobody else uses it now.
    let cursor = unsafe { &mut *cursor.cast::<Cursor>() };
    cursor.rows.advance();
    cursor.row = cursor.rows.current();
    ffi::SQLITE_OK
}

unsafe extern "C" fn eof(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `open` made the cursor.
    let cursor = unsafe { &*cursor.cast::<Cursor>() };
    c_int::from(cursor.row.is_none())
}

unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    out: *mut ffi::sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: `open` made the cursor.
    let cursor = unsafe { &*cursor.cast::<Cursor>() };
    let cell = match (cursor.row, usize::try_from(column)) {
        (Some(row), Ok(column)) => cursor.source.cell(column, row),
        _ => Cell::Null,
    };
    // SAFETY: SQLite passes the place of the result. Texts are in the pools of the trace, which lives as long as the
    // connection and does not change, so that SQLite need not copy them (no destructor).
    unsafe {
        match cell {
            Cell::Null => ffi::sqlite3_result_null(out),
            Cell::Int(value) => ffi::sqlite3_result_int64(out, value),
            Cell::Float(value) => ffi::sqlite3_result_double(out, value),
            Cell::Text(id) => {
                let text = cursor.source.data.get(id);
                let (start, bytes) = (text.as_ptr().cast(), text.len() as u64);
                ffi::sqlite3_result_text64(out, start, bytes, None, ffi::SQLITE_UTF8 as u8);
            }
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn rowid(cursor: *mut ffi::sqlite3_vtab_cursor, out: *mut i64) -> c_int {
    // SAFETY: `open` made the cursor, and SQLite passes a place for the number.
    unsafe {
        let row = (*cursor.cast::<Cursor>()).row;
        *out = row.map_or(-1, |row| row as i64);
    }
    ffi::SQLITE_OK
}
