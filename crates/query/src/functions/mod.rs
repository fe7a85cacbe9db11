//! SQL functions: those of PerfettoSQL, and the mathematics that SQLite is built without.

mod flags;
mod math;
mod trace;

use std::sync::Arc;

use rusqlite::Connection;

use crate::schema::Data;

/// Makes all functions known to a connection.
pub(crate) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    math::register(connection)?;
    trace::register(connection, data)
}
