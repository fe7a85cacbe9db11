//! Values that SQLite passes to a table.

use rusqlite::ffi;
use rusqlite::types::ValueRef;

use super::interval::Bound;

/// A value for comparison with a column of whole numbers: a text that looks like a number counts as one.
///
/// # Safety
///
/// SQLite passed `value` to a callback that is still running.
pub(super) unsafe fn bound(value: *mut ffi::sqlite3_value) -> Bound {
    // SAFETY: the caller's promise. A text is converted in a copy: the conversion changes the value itself, which the
    // statement may use again as text.
    unsafe {
        if ffi::sqlite3_value_type(value) != ffi::SQLITE_TEXT {
            return of_number(value);
        }
        let copy = ffi::sqlite3_value_dup(value);
        if copy.is_null() {
            return Bound::Null;
        }
        let bound = of_number(copy);
        ffi::sqlite3_value_free(copy);
        bound
    }
}

/// As [`bound`]; a text that looks like a number becomes one.
///
/// # Safety
/// As [`bound`].
unsafe fn of_number(value: *mut ffi::sqlite3_value) -> Bound {
    // SAFETY: the caller's promise.
    unsafe {
        match ffi::sqlite3_value_numeric_type(value) {
            ffi::SQLITE_NULL => Bound::Null,
            ffi::SQLITE_INTEGER => Bound::Int(ffi::sqlite3_value_int64(value)),
            ffi::SQLITE_FLOAT => Bound::Float(ffi::sqlite3_value_double(value)),
            _ => Bound::AfterNumbers,
        }
    }
}

/// A text in UTF-8; `None` for other values.
///
/// # Safety
/// As [`bound`]. The text lives until the callback ends.
pub(super) unsafe fn text<'a>(value: *mut ffi::sqlite3_value) -> Option<&'a str> {
    // SAFETY: the caller's promise. SQLite returns as many bytes as its length function says.
    unsafe {
        if ffi::sqlite3_value_type(value) != ffi::SQLITE_TEXT {
            return None;
        }
        let start = ffi::sqlite3_value_text(value);
        let bytes = usize::try_from(ffi::sqlite3_value_bytes(value)).ok()?;
        if start.is_null() {
            return None;
        }
        std::str::from_utf8(std::slice::from_raw_parts(start, bytes)).ok()
    }
}

/// A value, unchanged.
///
/// # Safety
///
/// As [`bound`]. Texts and BLOBs live until the callback ends.
pub(super) unsafe fn value<'a>(value: *mut ffi::sqlite3_value) -> ValueRef<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        match ffi::sqlite3_value_type(value) {
            ffi::SQLITE_INTEGER => ValueRef::Integer(ffi::sqlite3_value_int64(value)),
            ffi::SQLITE_FLOAT => ValueRef::Real(ffi::sqlite3_value_double(value)),
            ffi::SQLITE_TEXT => ValueRef::Text(bytes(value)),
            ffi::SQLITE_BLOB => ValueRef::Blob(bytes(value)),
            _ => ValueRef::Null,
        }
    }
}

/// The bytes of a text or a BLOB.
///
/// # Safety
/// As [`value`].
unsafe fn bytes<'a>(value: *mut ffi::sqlite3_value) -> &'a [u8] {
    // SAFETY: the caller's promise. SQLite returns as many bytes as its length function says.
    unsafe {
        let start = ffi::sqlite3_value_blob(value).cast::<u8>();
        let length = usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or(0);
        if start.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(start, length)
    }
}

/// Passes a value to SQLite, which copies it.
///
/// # Safety
///
/// SQLite passed `out` to a callback that is still running.
pub(super) unsafe fn result(out: *mut ffi::sqlite3_context, value: ValueRef<'_>) {
    // SAFETY: the caller's promise. SQLite copies texts and BLOBs.
    unsafe {
        let transient = ffi::SQLITE_TRANSIENT();
        match value {
            ValueRef::Null => ffi::sqlite3_result_null(out),
            ValueRef::Integer(value) => ffi::sqlite3_result_int64(out, value),
            ValueRef::Real(value) => ffi::sqlite3_result_double(out, value),
            ValueRef::Text(text) => {
                let (start, length) = (text.as_ptr().cast(), text.len() as u64);
                ffi::sqlite3_result_text64(out, start, length, transient, ffi::SQLITE_UTF8 as u8);
            }
            ValueRef::Blob(blob) => {
                let (start, length) = (blob.as_ptr().cast(), blob.len() as u64);
                ffi::sqlite3_result_blob64(out, start, length, transient);
            }
        }
    }
}
