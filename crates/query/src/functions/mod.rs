//! SQL functions: those of PerfettoSQL, and the mathematics that SQLite is built without.

mod arguments;
mod demangle;
mod flags;
mod json;
mod math;
mod message;
mod percentile;
mod perf_counter;
mod pprof;
mod regexp;
mod stacks;
mod strings;
mod time;
mod to_ftrace;
mod trace;
mod window;

use std::sync::Arc;

use rusqlite::Connection;

pub use demangle::demangled;

use crate::operators::Pool;
use crate::schema::Data;

/// Registers all functions with a connection.
pub(crate) fn register(
    connection: &Connection,
    data: &Arc<Data>,
    pool: &Pool,
) -> rusqlite::Result<()> {
    demangle::register(connection)?;
    math::register(connection)?;
    percentile::register(connection, pool)?;
    pprof::register(connection, pool)?;
    regexp::register(connection)?;
    perf_counter::register(connection, data)?;
    stacks::register(connection, data)?;
    strings::register(connection)?;
    time::register(connection, data)?;
    to_ftrace::register(connection, data)?;
    window::register(connection)?;
    trace::register(connection, data)
}
