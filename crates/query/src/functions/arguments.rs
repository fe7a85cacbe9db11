//! Arguments of functions.

use std::borrow::Cow;

use rusqlite::Error;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;

use crate::sqlite::real;

/// An argument as text; `None` for NULL. Numbers become text as in SQLite.
pub(super) fn text<'a>(context: &'a Context<'_>, at: usize) -> Option<Cow<'a, str>> {
    match context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(value) => Some(value.to_string().into()),
        ValueRef::Real(value) => Some(real::text(value).into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

/// The error for an invalid argument.
pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::UserFunctionError(message.into().into())
}
