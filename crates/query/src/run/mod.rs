//! Runs a script: several statements, of which the last that returns rows gives the result.

mod catalog;
mod create;
mod execute;
mod functions;
mod include;
mod kept;
mod output;

use rusqlite::Connection;

use crate::dialect::{Script, Statement, StatementKind};
use crate::error::QueryError;
pub(crate) use catalog::Catalog;
use execute::Bound;
use kept::Kept;
pub use output::{Output, Params};

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
    let mut kept: Option<Kept> = None;
    for statement in before {
        let mut result = Kept::default();
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

/// Runs a statement. Returns whether it has columns.
fn step(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Statement,
    params: &mut Bound<'_>,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    let sql = &statement.sql;
    match &statement.kind {
        StatementKind::Sqlite => {
            let expanded = catalog.macros.expand(sql)?;
            return match Script::parse_expanded(sql, &expanded)? {
                Some(statement) => step(connection, catalog, &statement, params, out),
                None => execute::execute(connection, &expanded, params, out),
            };
        }
        StatementKind::CreateTable(it) => create::table(connection, &catalog.macros, it, params)?,
        StatementKind::CreateView(it) => create::view(connection, &catalog.macros, it)?,
        StatementKind::CreateFunction(it) => functions::create(connection, catalog, sql, it)?,
        StatementKind::CreateMacro(it) => catalog.macros.define(it)?,
        StatementKind::CreateIndex(it) => create::index(connection, sql, it)?,
        StatementKind::Drop(it) => create::drop(connection, catalog, sql, it)?,
        StatementKind::Include(it) => include::include(connection, catalog, sql, it)?,
    }
    Ok(false)
}
