//! Passes tables to operators: the aggregate `__intrinsic_rows(…)`, and the function
//! `__intrinsic_flamegraph_config(…)`, which returns a table with one row.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Null, ValueRef};
use rusqlite::{Connection, Error, ErrorCode};

use crate::operators::intrinsic::Run;
use crate::operators::{Meter, Pool, rows};

/// Registers the aggregate with a connection.
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
    connection.create_aggregate_function("__intrinsic_rows", -1, flags, Collect::new(pool, None))
}

/// A table with one row: the arguments.
fn row(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut bytes = rows::begin(context.len(), false)?;
    for at in 0..context.len() {
        rows::write(context.get_raw(at), &mut bytes)?;
    }
    Ok(bytes)
}

/// Collects a table. At the end, processes it if there is a function for that.
pub(super) struct Collect {
    pool: Pool,
    run: Option<Run>,
}

impl Collect {
    pub fn new(pool: &Pool, run: Option<Run>) -> Self {
        let pool = pool.clone();
        Self { pool, run }
    }
}

/// The rows so far.
pub(super) struct Collected {
    bytes: Vec<u8>,
    meter: Meter,
}

impl Aggregate<Collected, Vec<u8>> for Collect {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Collected> {
        Ok(Collected {
            bytes: Vec::new(),
            meter: self.pool.meter(),
        })
    }

    fn step(&self, context: &mut Context<'_>, it: &mut Collected) -> rusqlite::Result<()> {
        let before = it.bytes.len();
        if it.bytes.is_empty() {
            it.bytes = rows::begin(context.len(), false)?;
        }
        for at in 0..context.len() {
            rows::write(context.get_raw(at), &mut it.bytes)?;
        }
        Ok(it.meter.grow(it.bytes.len() - before)?)
    }

    fn finalize(&self, _: &mut Context<'_>, it: Option<Collected>) -> rusqlite::Result<Vec<u8>> {
        let Some(mut it) = it else {
            return Ok(Vec::new());
        };
        let Some(run) = self.run else {
            return Ok(it.bytes);
        };
        let table = run(&[ValueRef::Blob(&it.bytes)], &mut it.meter)?;
        Ok(rows::table(&table.names, &table.cells)?)
    }
}

/// The error of a statement that a function runs. rusqlite drops the code of an error that has a message, but limits
/// are recognised by their code.
pub(super) fn within(error: Error) -> Error {
    let code = error.sqlite_error_code();
    let (interrupted, memory) = (ErrorCode::OperationInterrupted, ErrorCode::OutOfMemory);
    match error {
        Error::SqliteFailure(failure, _) if code == Some(interrupted) || code == Some(memory) => {
            Error::SqliteFailure(failure, None)
        }
        other => other,
    }
}
