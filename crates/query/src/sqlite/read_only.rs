//! The common parts of this crate's modules: their tables are read-only and use shared data.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use rusqlite::{Connection, ffi};

/// A module without callbacks. Without `xCreate`, a table exists under the module's name and cannot be created again.
/// Without `xUpdate`, it is read-only.
pub(super) const READ_ONLY: ffi::sqlite3_module = ffi::sqlite3_module {
    iVersion: 1,
    xCreate: None,
    xConnect: None,
    xBestIndex: None,
    xDisconnect: None,
    xDestroy: None,
    xOpen: None,
    xClose: None,
    xFilter: None,
    xNext: None,
    xEof: None,
    xColumn: None,
    xRowid: None,
    xUpdate: None,
    xBegin: None,
    xSync: None,
    xCommit: None,
    xRollback: None,
    xFindFunction: None,
    xRename: None,
    xSavepoint: None,
    xRelease: None,
    xRollbackTo: None,
    xShadowName: None,
    xIntegrity: None,
};

/// SQLite's part of a new table.
pub(super) const NEW_TABLE: ffi::sqlite3_vtab = ffi::sqlite3_vtab {
    pModule: ptr::null(),
    nRef: 0,
    zErrMsg: ptr::null_mut(),
};

/// Registers a module with a connection, or replaces the module of this name. SQLite stores `data` and passes it to
/// `xConnect`, where [`shared`] returns it.
///
/// # Errors
///
/// If the name contains a NUL, or SQLite has no memory.
pub(super) fn register<T>(
    connection: &Connection,
    name: &str,
    module: &'static ffi::sqlite3_module,
    data: Arc<T>,
) -> rusqlite::Result<()> {
    let name = CString::new(name)?;
    let data = Arc::into_raw(data).cast_mut().cast::<c_void>();
    // SAFETY: the handle is open, the module is static, and `forget` takes back the reference that `data` is. SQLite
    // calls it even if it refuses.
    let code = unsafe {
        let db = connection.handle();
        ffi::sqlite3_create_module_v2(db, name.as_ptr(), module, data, Some(forget::<T>))
    };
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

unsafe extern "C" fn forget<T>(data: *mut c_void) {
    // SAFETY: `register` made the pointer from an Arc, and SQLite calls this once.
    drop(unsafe { Arc::from_raw(data.cast::<T>()) });
}

/// Another reference to the data of a module.
///
/// # Safety
/// SQLite passed `data` to `xConnect` of a module that was registered with an `Arc<T>`.
pub(super) unsafe fn shared<T>(data: *mut c_void) -> Arc<T> {
    // SAFETY: the caller's promise. SQLite keeps its own reference.
    unsafe {
        Arc::increment_strong_count(data.cast::<T>());
        Arc::from_raw(data.cast::<T>())
    }
}

/// Declares the columns of a table. Returns SQLite's code.
///
/// # Safety
/// SQLite passed `db` to `xConnect`, which has not returned yet.
pub(super) unsafe fn declare(db: *mut ffi::sqlite3, declaration: &str) -> c_int {
    match CString::new(declaration) {
        // SAFETY: the caller's promise. The text ends with a zero.
        Ok(text) => unsafe { ffi::sqlite3_declare_vtab(db, text.as_ptr()) },
        Err(_) => ffi::SQLITE_ERROR,
    }
}

/// Reports an error.
///
/// # Safety
///
/// SQLite passed `table` to a callback.
pub(super) unsafe fn fail(table: *mut ffi::sqlite3_vtab, message: &str) -> c_int {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // SAFETY: the caller's promise. SQLite frees the message, which `mprintf` copies.
    unsafe {
        ffi::sqlite3_free((*table).zErrMsg.cast());
        (*table).zErrMsg = ffi::sqlite3_mprintf(c"%s".as_ptr(), message.as_ptr());
    }
    ffi::SQLITE_ERROR
}
