//! SQL functions: those of PerfettoSQL, and the mathematics that SQLite is built without.

mod math;
mod trace;

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::schema::Data;

/// Makes all functions known to a connection.
pub(crate) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    math::register(connection)?;
    trace::register(connection, data)
}

/// Functions whose result depends on their arguments only, and that have no effect.
const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);
