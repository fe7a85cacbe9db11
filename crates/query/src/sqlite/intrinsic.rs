//! Registers table-valued functions with SQLite.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error};

use super::call::Depth;
use super::collect::{Collect, within};
use super::table_info;
use crate::operators::intrinsic::scan::{Kind, Scan};
use crate::operators::intrinsic::{AGGREGATES, COLLECTORS, FUNCTIONS};
use crate::operators::{Meter, Pool, rows};

const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_INNOCUOUS);

/// Registers the functions with a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(connection: &Connection, pool: &Pool) -> rusqlite::Result<()> {
    for &(name, count) in COLLECTORS {
        let collect = Collect::new(pool, None);
        connection.create_aggregate_function(name, count, FLAGS, collect)?;
    }
    for &(name, count, run) in AGGREGATES {
        let collect = Collect::new(pool, Some(run));
        connection.create_aggregate_function(name, count, FLAGS, collect)?;
    }
    for &(name, count, run) in FUNCTIONS {
        let pool = pool.clone();
        connection.create_scalar_function(name, count, FLAGS, move |context| {
            let mut meter = pool.meter();
            let table = run(&arguments(context), &mut meter)?;
            Ok(rows::table(&table.names, &table.cells)?)
        })?;
    }
    let kinds = [
        ("__intrinsic_graph_scan", Kind::Plain),
        ("__intrinsic_graph_aggregating_scan", Kind::Aggregating),
    ];
    for (name, kind) in kinds {
        let pool = pool.clone();
        connection.create_scalar_function(name, 4, FLAGS, move |context| {
            scan(context, kind, &mut pool.meter())
        })?;
    }
    connection.create_scalar_function("__intrinsic_table_info", 1, FLAGS, |context| {
        table_info::columns(context)
    })
}

fn arguments<'a>(context: &'a Context<'_>) -> Vec<ValueRef<'a>> {
    (0..context.len()).map(|at| context.get_raw(at)).collect()
}

/// Runs a scan, whose third argument is the query of each step.
fn scan(context: &Context<'_>, kind: Kind, meter: &mut Meter) -> rusqlite::Result<Vec<u8>> {
    let step: String = context.get(2)?;
    let mut scan = Scan::new(kind, &arguments(context), meter)?;
    let Some(_depth) = Depth::enter() else {
        let message = "scans are nested too deeply";
        return Err(Error::UserFunctionError(message.into()));
    };
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    let mut statement = connection.prepare(&scan.sql(&step)).map_err(within)?;
    let found: Vec<&str> = statement.column_names().collect();
    scan.check(&found)?;
    let width = statement.column_count();
    while let Some(table) = scan.next()? {
        statement.raw_bind_parameter(1, table)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(within)? {
            let values: Result<Vec<_>, _> = (0..width).map(|at| row.get_ref(at)).collect();
            scan.add(&values?, meter)?;
        }
    }
    Ok(scan.finish())
}
