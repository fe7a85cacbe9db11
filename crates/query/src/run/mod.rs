//! Runs a script: several statements, of which the last that returns rows gives the result.

mod catalog;
mod create;
mod drop_table;
mod execute;
mod flamegraph;
mod functions;
mod output;
mod replace;
mod report;
mod result_set;
mod row_count;
mod span_join;
mod statement;

use rusqlite::Connection;

use crate::dialect::Script;
use crate::error::QueryError;
pub(crate) use catalog::Catalog;
use execute::Bound;
pub use output::{Output, Params};
pub use result_set::ResultSet;
use statement::step;

/// Runs the statements of `sql`. Returns whether any of them has a result.
pub(crate) fn run(
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
    // A later statement may have a result too, and only the last one is returned.
    let mut kept: Option<ResultSet> = None;
    for statement in before {
        let mut result = ResultSet::default();
        if step(connection, catalog, statement, &mut bound, &mut result)? {
            kept = Some(result);
        }
    }
    let is_result = step(connection, catalog, last, &mut bound, out)?;
    bound.check()?;
    match kept {
        Some(kept) if !is_result => kept.replay(out).map(|()| true),
        _ => Ok(is_result),
    }
}
