//! What passes tables to operators: the aggregate `__intrinsic_rows(…)`, and the function
//! `__intrinsic_flamegraph_config(…)`, whose table has one row.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::Null;
use rusqlite::{Connection, Error, ffi};

use crate::operators::{Failure, Meter, Pool, rows};

/// Makes the aggregate known to a connection.
pub(super) fn register(connection: &Connection, pool: &Pool) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    let pure = flags | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("__intrinsic_flamegraph_config", -1, pure, |context| {
        row(context)
    })?;
    connection.create_scalar_function("__intrinsic_flamegraph_find", 2, flags, |_| {
        let message = "__intrinsic_flamegraph_find must be a condition of a flame graph";
        Err::<Null, _>(Error::UserFunctionError(message.into()))
    })?;
    connection.create_aggregate_function("__intrinsic_rows", -1, flags, Collect(pool.clone()))
}

/// A table with one row: the arguments.
fn row(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let width = u8::try_from(context.len()).map_err(|_| Error::InvalidQuery)?;
    let mut bytes = vec![width];
    for at in 0..context.len() {
        rows::write(context.get_raw(at), &mut bytes).map_err(error)?;
    }
    Ok(bytes)
}

struct Collect(Pool);

/// The rows so far.
struct Collected {
    bytes: Vec<u8>,
    meter: Meter,
}

impl Aggregate<Collected, Vec<u8>> for Collect {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Collected> {
        Ok(Collected {
            bytes: Vec::new(),
            meter: self.0.meter(),
        })
    }

    fn step(&self, context: &mut Context<'_>, it: &mut Collected) -> rusqlite::Result<()> {
        let before = it.bytes.len();
        if it.bytes.is_empty() {
            let width = u8::try_from(context.len()).map_err(|_| Error::InvalidQuery)?;
            it.bytes.push(width);
        }
        for at in 0..context.len() {
            rows::write(context.get_raw(at), &mut it.bytes).map_err(error)?;
        }
        it.meter.grow(it.bytes.len() - before).map_err(error)
    }

    fn finalize(&self, _: &mut Context<'_>, it: Option<Collected>) -> rusqlite::Result<Vec<u8>> {
        Ok(it.map(|it| it.bytes).unwrap_or_default())
    }
}

fn error(failure: Failure) -> Error {
    let code = match failure {
        Failure::Interrupted => ffi::SQLITE_INTERRUPT,
        Failure::Memory => ffi::SQLITE_NOMEM,
        Failure::Refused(message) => return Error::UserFunctionError(message.into()),
    };
    Error::SqliteFailure(ffi::Error::new(code), None)
}
