//! Runs a script: several statements, of which the last that returns rows gives the result.

mod create;
mod execute;
mod kept;
mod output;

use rusqlite::Connection;

use crate::dialect::{Macros, Script, Statement, StatementKind};
use crate::error::QueryError;
use execute::Bound;
use kept::Kept;
pub use output::{Output, Params};

/// Runs the statements of `sql`. Returns whether any of them has a result.
pub(crate) fn run(
    connection: &Connection,
    macros: &mut Macros,
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
        if step(connection, macros, statement, &mut bound, &mut result)? {
            kept = Some(result);
        }
    }
    let is_result = step(connection, macros, last, &mut bound, out)?;
    bound.check()?;
    match kept {
        Some(kept) if !is_result => kept.replay(out).map(|()| true),
        _ => Ok(is_result),
    }
}

/// Runs a statement. Returns whether it has columns.
fn step(
    connection: &Connection,
    macros: &mut Macros,
    statement: &Statement,
    params: &mut Bound<'_>,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    match &statement.kind {
        StatementKind::Sqlite => {
            let sql = macros.expand(&statement.sql)?;
            return execute::execute(connection, &sql, params, out);
        }
        StatementKind::CreateTable(it) => create::table(connection, macros, it, params)?,
        StatementKind::CreateView(it) => create::view(connection, macros, it)?,
        StatementKind::CreateFunction(it) => create::function(connection, macros, it)?,
        StatementKind::CreateMacro(it) => macros.define(it)?,
        StatementKind::CreateIndex(it) => create::index(connection, &statement.sql, it)?,
        StatementKind::Drop(it) => create::drop(connection, macros, &statement.sql, it)?,
        StatementKind::Include(it) => create::include(&statement.sql, it)?,
    }
    Ok(false)
}
