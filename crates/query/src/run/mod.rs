//! Runs a script of several statements. The last statement that returns rows gives the result.

mod catalog;
mod create;
mod drop_table;
mod execute;
mod flamegraph;
mod functions;
mod kept;
mod missing;
mod output;
mod replace;
mod report;
mod result_set;
mod row_count;
mod span_join;
mod statement;
mod window;

use std::io::ErrorKind;

use rusqlite::Connection;

use crate::dialect::{Script, Statement};
use crate::error::QueryError;
pub(crate) use catalog::Catalog;
use execute::Bound;
use kept::{Kept, has_result};
use output::Discard;
pub use output::{Output, Params};
pub use result_set::ResultSet;
use statement::step;

/// Runs the statements of `sql`. Returns whether any of them has a result.
pub(crate) fn run(
    connection: &Connection,
    catalog: &mut Catalog,
    script: (&str, &str),
    params: &Params,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    let done = statements(connection, catalog, script, params, out);
    done.map_err(|error| missing::explained(error, &catalog.library))
}

fn statements(
    connection: &Connection,
    catalog: &mut Catalog,
    (name, sql): (&str, &str),
    params: &Params,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    let statements = Script::parse(name, sql)?;
    let Some((last, before)) = statements.split_last() else {
        return Err(QueryError::Empty {
            name: name.to_owned(),
        });
    };
    let mut bound = Bound::new(params);
    let kept = first(connection, catalog, before, last, &mut bound)?;
    let is_result = step(connection, catalog, last, &mut bound, out)?;
    bound.check()?;
    match kept {
        Some(kept) if !is_result => kept.result.replay(out).map(|()| true),
        _ => Ok(is_result),
    }
}

/// Runs the statements before the last one. Returns the result of the script in case the last statement has none.
fn first(
    connection: &Connection,
    catalog: &mut Catalog,
    before: &[Statement],
    last: &Statement,
    bound: &mut Bound<'_>,
) -> Result<Option<Kept>, QueryError> {
    let mut kept = None;
    // The results of the statements before `last` are not the result of the script.
    let first_kept = if has_result(last) {
        before.len()
    } else {
        before.iter().rposition(has_result).unwrap_or(0)
    };
    for (at, statement) in before.iter().enumerate() {
        if at < first_kept {
            step(connection, catalog, statement, bound, &mut Discard)?;
            continue;
        }
        let mut result = Kept::new(&catalog.pool);
        let done = step(connection, catalog, statement, bound, &mut result);
        if done.map_err(limited)? {
            kept = Some(result);
        }
    }
    Ok(kept)
}

/// The error for the limit that a result in memory reached.
fn limited(error: QueryError) -> QueryError {
    match error {
        QueryError::Output(error) if error.kind() == ErrorKind::OutOfMemory => {
            QueryError::OutOfMemory
        }
        QueryError::Output(error) if error.kind() == ErrorKind::Interrupted => {
            QueryError::Interrupted
        }
        error => error,
    }
}
