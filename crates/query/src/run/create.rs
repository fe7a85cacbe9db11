//! The statements that PerfettoSQL adds to SQLite.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::drop_table;
use super::execute::{names, prepare};
use super::functions;
use super::report::{is_in_schema, is_same, place, quoted, refused, run_for};
use crate::dialect::{CreateIndex, CreateRelation, Drop, Expanded, Fragment, Object};
use crate::error::QueryError;

/// The SQL for the rows of a table or view. The listed columns have been checked against it.
pub(super) fn checked(
    connection: &Connection,
    catalog: &Catalog,
    it: &CreateRelation,
) -> Result<Expanded, QueryError> {
    let select = catalog.macros.expand(&it.select)?;
    let found = names(&prepare(connection, &select)?);
    check_columns(it, &found)?;
    Ok(select)
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

/// `CREATE PERFETTO INDEX`. Tables of the trace do not need an index to find their rows.
pub(super) fn index(
    connection: &Connection,
    catalog: &Catalog,
    statement: &Fragment,
    it: &CreateIndex,
) -> Result<(), QueryError> {
    let columns: Vec<String> = it.columns.iter().map(quoted).collect();
    let (name, table) = (quoted(&it.name), quoted(&it.table));
    let of_trace = it.table.text.to_ascii_lowercase();
    if catalog.row_counts.contains_key(&of_trace) && !is_in_schema(connection, &of_trace)? {
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
    let name = it.name.text.to_ascii_lowercase();
    let is_virtual = catalog.virtual_tables.contains(&name) && !is_in_schema(connection, &name)?;
    match it.object {
        Object::Macro if catalog.macros.remove(&it.name.text) => Ok(()),
        Object::Macro => Err(missing()),
        Object::Function => functions::drop(connection, catalog, statement, &it.name),
        Object::Table if is_virtual => {
            drop_table::drop(connection, catalog, place(statement, &it.name), &name)
        }
        object => {
            let sql = format!("DROP {} {}", word(object), quoted(&it.name));
            run_for(connection, statement, &it.name, &sql)
        }
    }
}

/// The word for a kind of object.
pub(super) fn word(object: Object) -> &'static str {
    match object {
        Object::Table => "TABLE",
        Object::View => "VIEW",
        Object::Function => "FUNCTION",
        Object::Macro => "MACRO",
        Object::Index => "INDEX",
    }
}
