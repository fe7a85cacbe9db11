//! The common parts of all modules: creating and dropping tables and cursors, and reading values.
//!
//! SQLite hands each callback the pointers that the earlier ones returned, and frees each exactly once.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use rusqlite::ffi;
use rusqlite::types::ValueRef;

use super::read_only::{NEW_TABLE, declare, fail, shared};
use super::value::value;
use crate::operators::Failure;

/// The data that SQLite holds for a module.
pub(super) trait Module {
    /// The `CREATE TABLE` that declares the columns to SQLite.
    fn declaration(&self) -> String;
}

/// A table that a statement uses.
#[repr(C)]
pub(super) struct Table<M> {
    /// SQLite's part, which must come first.
    base: ffi::sqlite3_vtab,
    pub module: Arc<M>,
    pub db: *mut ffi::sqlite3,
}

/// `xConnect` for a module that was registered with an `Arc<M>`. Creates a [`Table`].
pub(super) unsafe extern "C" fn connect<M: Module>(
    db: *mut ffi::sqlite3,
    data: *mut c_void,
    _: c_int,
    _: *const *const c_char,
    out: *mut *mut ffi::sqlite3_vtab,
    _: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes the data of the module, and an open connection.
    let (module, code) = unsafe {
        let module = shared::<M>(data);
        let code = declare(db, &module.declaration());
        (module, code)
    };
    if code != ffi::SQLITE_OK {
        return code;
    }
    let base = NEW_TABLE;
    let table = Box::new(Table { base, module, db });
    // SAFETY: SQLite passes a place for the pointer.
    unsafe { *out = Box::into_raw(table).cast() };
    ffi::SQLITE_OK
}

/// `xDisconnect` for a table that [`connect`] created.
pub(super) unsafe extern "C" fn disconnect<M>(table: *mut ffi::sqlite3_vtab) -> c_int {
    // SAFETY: `connect` made the pointer from a Box, and SQLite calls this once.
    drop(unsafe { Box::from_raw(table.cast::<Table<M>>()) });
    ffi::SQLITE_OK
}

/// The end of `xOpen`: passes a cursor to SQLite. The first field of the cursor must be SQLite's part. [`close`] takes
/// it back.
///
/// # Safety
///
/// `out` is the pointer that SQLite passed to `xOpen`.
pub(super) unsafe fn hand_over<C>(cursor: C, out: *mut *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: the caller's promise: a place for the pointer.
    unsafe { *out = Box::into_raw(Box::new(cursor)).cast() };
    ffi::SQLITE_OK
}

/// `xClose` for a cursor from [`hand_over`].
pub(super) unsafe extern "C" fn close<C>(cursor: *mut ffi::sqlite3_vtab_cursor) -> c_int {
    // SAFETY: `hand_over` made the pointer from a Box, and SQLite calls this once.
    drop(unsafe { Box::from_raw(cursor.cast::<C>()) });
    ffi::SQLITE_OK
}

/// The values that SQLite passes to `xFilter`.
///
/// # Safety
/// There are `count` values, which live as long as the result is used.
pub(super) unsafe fn given<'a>(
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) -> Vec<ValueRef<'a>> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise.
    (0..count)
        .map(|at| unsafe { value(*values.add(at)) })
        .collect()
}

/// SQLite's code for a result. The message of an error is stored in the table.
///
/// # Safety
///
/// SQLite passed `table` to a callback.
pub(super) unsafe fn code(table: *mut ffi::sqlite3_vtab, done: Result<(), Failure>) -> c_int {
    match done {
        Ok(()) => ffi::SQLITE_OK,
        Err(Failure::Interrupted) => ffi::SQLITE_INTERRUPT,
        Err(Failure::Memory) => ffi::SQLITE_NOMEM,
        // SAFETY: the caller's promise.
        Err(Failure::Refused(message)) => unsafe { fail(table, &message) },
    }
}

/// A number of arguments, in words.
pub(super) fn arguments(count: usize) -> String {
    match count {
        1 => "1 argument".to_owned(),
        count => format!("{count} arguments"),
    }
}
