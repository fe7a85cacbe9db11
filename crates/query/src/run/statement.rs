//! Runs one statement, and the modules that it includes.

use std::sync::Arc;

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::{Bound, answer, execute};
use super::output::{Discard, Output};
use super::report::{is_in_schema, refused};
use super::row_count::row_count;
use super::{create, drop_table, flamegraph, functions, replace, span_join, window};
use crate::absent;
use crate::dialect::{Expanded, Fragment, Include, Script, Source, Statement, StatementKind};
use crate::error::QueryError;

/// Runs a statement. Returns whether it has columns.
pub(super) fn step(
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
                None => sqlite(connection, catalog, &expanded, params, out),
            };
        }
        StatementKind::CreateTable(it) => replace::table(connection, catalog, it, params)?,
        StatementKind::CreateView(it) => replace::view(connection, catalog, it)?,
        StatementKind::CreateFunction(it) => functions::create(connection, catalog, sql, it)?,
        StatementKind::CreateSpanJoin(it) => span_join::create(connection, catalog, sql, it)?,
        StatementKind::CreateFlamegraph(it) => {
            flamegraph::create(connection, catalog, sql, it, params)?;
        }
        StatementKind::CreateWindow(it) => window::create(connection, catalog, sql, it)?,
        StatementKind::CreateMacro(it) => catalog.macros.define(it)?,
        StatementKind::CreateIndex(it) => create::index(connection, catalog, sql, it)?,
        StatementKind::Drop(it) => create::drop(connection, catalog, sql, it)?,
        StatementKind::Include(it) => include(connection, catalog, sql, it)?,
    }
    Ok(false)
}

/// Runs a statement of SQLite.
fn sqlite(
    connection: &Connection,
    catalog: &mut Catalog,
    sql: &Expanded,
    params: &mut Bound<'_>,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    if let Some(name) = drop_table::dropped(catalog, sql.sql())
        && !is_in_schema(connection, &name)?
    {
        let place = sql.map().start();
        return drop_table::drop(connection, catalog, place, &name).map(|()| false);
    }
    if let Some(message) = absent::operator(sql.sql()) {
        let location = Box::new(sql.map().start());
        return Err(QueryError::Sql { location, message });
    }
    match row_count(connection, catalog, sql.sql()) {
        Some(rows) => answer(connection, sql, rows, out),
        None => execute(connection, sql, params, out),
    }
}

/// Runs the modules that match a name, if they have not been included yet. The prelude is always included.
fn include(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &Include,
) -> Result<(), QueryError> {
    let name = &it.module.text;
    let modules = catalog.library.named(it);
    if modules.is_empty() && name != "prelude" && !name.starts_with("prelude.") {
        let advice = match absent::module(name) {
            Some(new) => format!("{new} replaces it"),
            None => "docs/sql.md lists the modules".to_owned(),
        };
        let message = format!("there is no module {name}; {advice}");
        return Err(refused(statement, &it.module, message));
    }
    for module in modules {
        run(connection, catalog, statement, it, &module)?;
    }
    Ok(())
}

/// Runs a module once. A module that indirectly includes itself is already marked as included. A module that failed
/// continues with the statement that failed.
fn run(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &Include,
    module: &str,
) -> Result<(), QueryError> {
    let Some(begun) = catalog.library.begin(module) else {
        return Ok(());
    };
    let source = Source::included(begun.file, begun.text, statement.clone());
    let mut done = begun.done;
    let result = if catalog.library.enter() {
        let result = statements(connection, catalog, &source, &mut done);
        catalog.library.leave();
        result
    } else {
        let message = "modules include each other too deeply".to_owned();
        Err(refused(statement, &it.module, message))
    };
    if result.is_err() {
        catalog.library.stop(module, done);
    }
    result
}

/// Runs the statements of a module that have not run yet.
fn statements(
    connection: &Connection,
    catalog: &mut Catalog,
    source: &Arc<Source>,
    done: &mut usize,
) -> Result<(), QueryError> {
    for statement in Script::parse_source(source)?.iter().skip(*done) {
        let mut params = Bound::new(&[]);
        step(connection, catalog, statement, &mut params, &mut Discard)?;
        *done += 1;
    }
    Ok(())
}
