//! The statements that PerfettoSQL adds to SQLite's.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::{Bound, execute, names, prepare};
use super::functions;
use super::output::Discard;
use super::report::{is_same, quoted, refused, run_for};
use crate::dialect::{CreateIndex, CreateRelation, Drop, Expanded, Fragment, Object};
use crate::error::QueryError;
use crate::schema::{VIEWS, View};

/// `CREATE PERFETTO TABLE`.
pub(super) fn table(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
    params: &mut Bound<'_>,
) -> Result<(), QueryError> {
    let select = relation(connection, catalog, it, Object::Table)?;
    let sql = select.wrap(&format!("CREATE TABLE {} AS ", quoted(&it.name)), "");
    execute(connection, &sql, params, &mut Discard).map(|_| ())
}

/// `CREATE PERFETTO VIEW`.
pub(super) fn view(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
) -> Result<(), QueryError> {
    let select = relation(connection, catalog, it, Object::View)?;
    let sql = select.wrap(&format!("CREATE VIEW {} AS ", quoted(&it.name)), "");
    execute(connection, &sql, &mut Bound::new(&[]), &mut Discard).map(|_| ())
}

/// The rows of a table or view. An object that it replaces is dropped.
fn relation(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
    object: Object,
) -> Result<Expanded, QueryError> {
    let select = catalog.macros.expand(&it.select)?;
    let found = names(&prepare(connection, &select)?);
    check_columns(it, &found)?;
    if drop_built_in(connection, catalog, it)? {
        return Ok(select);
    }
    if it.replace {
        let sql = format!("DROP {} IF EXISTS {}", word(object), quoted(&it.name));
        run_for(connection, &it.select, &it.name, &sql)?;
    }
    Ok(select)
}

/// Makes room for a table or view with the name of a built-in view. Perfetto defines some of these views in modules, so a
/// script or module of a user may do so, too. Returns whether the view was there.
fn drop_built_in(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
) -> Result<bool, QueryError> {
    let is_name = |view: &&View| view.name.eq_ignore_ascii_case(&it.name.text);
    let Some(view) = VIEWS.iter().find(is_name) else {
        return Ok(false);
    };
    if !catalog.replaced_views.insert(view.name) {
        return Ok(false);
    }
    let sql = format!("DROP VIEW IF EXISTS {}", quoted(&it.name));
    run_for(connection, &it.select, &it.name, &sql)?;
    Ok(true)
}

/// Checks the columns that a statement lists against those of its `SELECT`, in any order.
fn check_columns(it: &CreateRelation, found: &[String]) -> Result<(), QueryError> {
    let listed = |name: &String| it.columns.iter().any(|column| is_same(column, name));
    let missing = it
        .columns
        .iter()
        .find(|column| !found.iter().any(|name| is_same(column, name)));
    let message = match (missing, found.iter().find(|name| !listed(name))) {
        _ if it.columns.is_empty() => return Ok(()),
        (Some(column), _) => format!(
            "the SELECT has no column {}, which is declared",
            column.name.text
        ),
        (_, Some(name)) => format!("the column {name} of the SELECT is not declared"),
        _ => return Ok(()),
    };
    Err(refused(&it.select, &it.name, message))
}

/// `CREATE PERFETTO INDEX`. The tables of the trace find their rows without.
pub(super) fn index(
    connection: &Connection,
    statement: &Fragment,
    it: &CreateIndex,
) -> Result<(), QueryError> {
    let columns: Vec<String> = it.columns.iter().map(quoted).collect();
    let (name, table) = (quoted(&it.name), quoted(&it.table));
    let known = crate::schema::TABLES
        .iter()
        .any(|known| known.name == it.table.text);
    if known {
        return Ok(());
    }
    let replaced = format!("DROP INDEX IF EXISTS {name};");
    let replaced = if it.replace { &replaced } else { "" };
    let sql = format!(
        "{replaced}CREATE INDEX {name} ON {table}({})",
        columns.join(", ")
    );
    run_for(connection, statement, &it.name, &sql)
}

/// `DROP PERFETTO …`.
pub(super) fn drop(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &Drop,
) -> Result<(), QueryError> {
    let missing = || refused(statement, &it.name, format!("there is no {}", it.name.text));
    match it.object {
        Object::Macro if catalog.macros.remove(&it.name.text) => Ok(()),
        Object::Macro => Err(missing()),
        Object::Function => functions::drop(connection, catalog, statement, &it.name),
        object => {
            let sql = format!("DROP {} {}", word(object), quoted(&it.name));
            run_for(connection, statement, &it.name, &sql)
        }
    }
}

fn word(object: Object) -> &'static str {
    match object {
        Object::Table => "TABLE",
        Object::View => "VIEW",
        Object::Function => "FUNCTION",
        Object::Macro => "MACRO",
        Object::Index => "INDEX",
    }
}
