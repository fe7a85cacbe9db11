//! The statements that PerfettoSQL adds to SQLite's.

use rusqlite::Connection;

use super::execute::{Bound, at, execute, names, prepare};
use super::kept::Kept;
use crate::dialect::{
    Column, CreateFunction, CreateIndex, CreateRelation, Drop, Expanded, Fragment, FunctionBody,
    Include, Location, Macros, Name, Object, Returns,
};
use crate::error::QueryError;
use crate::sqlite::call::{Function, define, forget};
use crate::sqlite::table_call::{self, TableFunction};

/// `CREATE PERFETTO TABLE`.
pub(super) fn table(
    connection: &Connection,
    macros: &Macros,
    it: &CreateRelation,
    params: &mut Bound<'_>,
) -> Result<(), QueryError> {
    let select = relation(connection, macros, it, Object::Table)?;
    let sql = select.wrap(&format!("CREATE TABLE {} AS ", quoted(&it.name)), "");
    execute(connection, &sql, params, &mut Kept::default()).map(|_| ())
}

/// `CREATE PERFETTO VIEW`.
pub(super) fn view(
    connection: &Connection,
    macros: &Macros,
    it: &CreateRelation,
) -> Result<(), QueryError> {
    let select = relation(connection, macros, it, Object::View)?;
    let sql = select.wrap(&format!("CREATE VIEW {} AS ", quoted(&it.name)), "");
    execute(connection, &sql, &mut Bound::new(&[]), &mut Kept::default()).map(|_| ())
}

/// The rows of a table or view, which has no namesake any more.
fn relation(
    connection: &Connection,
    macros: &Macros,
    it: &CreateRelation,
    object: Object,
) -> Result<Expanded, QueryError> {
    let select = macros.expand(&it.select)?;
    let found = names(&prepare(connection, &select)?);
    check_columns(it, &found)?;
    if it.replace {
        let sql = format!("DROP {} IF EXISTS {}", word(object), quoted(&it.name));
        run_for(connection, &it.select, &it.name, &sql)?;
    }
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

fn is_same(column: &Column, name: &str) -> bool {
    column.name.text.eq_ignore_ascii_case(name)
}

/// `CREATE PERFETTO FUNCTION`.
pub(super) fn function(
    connection: &Connection,
    macros: &Macros,
    it: &CreateFunction,
) -> Result<(), QueryError> {
    let body = match &it.body {
        FunctionBody::Select(body) => body,
        // The functions that the names of the standard library stand for exist under these names.
        FunctionBody::DelegatesTo(_) => return Ok(()),
    };
    if let Returns::Table(columns) = &it.returns {
        return table_function(connection, macros, it, body, columns);
    }
    let function = Function {
        name: it.name.text.clone(),
        arguments: column_names(&it.arguments),
        sql: macros.expand(body)?.sql().to_owned(),
    };
    let defined = define(connection, function);
    defined.map_err(|error| at(place(body, &it.name), error))
}

/// `CREATE PERFETTO FUNCTION … RETURNS TABLE`. Its `SELECT` must have the columns in the order declared.
fn table_function(
    connection: &Connection,
    macros: &Macros,
    it: &CreateFunction,
    body: &Fragment,
    columns: &[Column],
) -> Result<(), QueryError> {
    let select = macros.expand(body)?;
    let found = names(&prepare(connection, &select)?);
    let is_same = found.len() == columns.len()
        && found
            .iter()
            .zip(columns)
            .all(|(name, column)| is_same(column, name));
    if !is_same {
        let declared = column_names(columns).join(", ");
        let found = found.join(", ");
        let message =
            format!("the columns ({declared}) are declared, but the SELECT has ({found})");
        return Err(refused(body, &it.name, message));
    }
    let function = TableFunction {
        name: it.name.text.clone(),
        arguments: column_names(&it.arguments),
        columns: column_names(columns),
        sql: select.sql().to_owned(),
    };
    let defined = table_call::define(connection, function);
    defined.map_err(|error| at(place(body, &it.name), error))
}

fn column_names(columns: &[Column]) -> Vec<String> {
    columns
        .iter()
        .map(|column| column.name.text.clone())
        .collect()
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
    macros: &mut Macros,
    statement: &Fragment,
    it: &Drop,
) -> Result<(), QueryError> {
    let missing = || refused(statement, &it.name, format!("there is no {}", it.name.text));
    match it.object {
        Object::Macro if macros.remove(&it.name.text) => Ok(()),
        Object::Macro => Err(missing()),
        Object::Function => forget(connection, &it.name.text)
            .and_then(|()| table_call::remove(connection, &it.name.text))
            .map_err(|error| at(place(statement, &it.name), error)),

        object => {
            let sql = format!("DROP {} {}", word(object), quoted(&it.name));
            run_for(connection, statement, &it.name, &sql)
        }
    }
}

/// `INCLUDE PERFETTO MODULE`. The prelude is always there.
pub(super) fn include(statement: &Fragment, it: &Include) -> Result<(), QueryError> {
    let name = &it.module.text;
    if name == "prelude" || name.starts_with("prelude.") {
        return Ok(());
    }
    let message = format!("there is no module {name}: traceloom has no modules yet");
    Err(refused(statement, &it.module, message))
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

/// A name as SQLite takes it, whatever it contains.
fn quoted(name: &Name) -> String {
    format!("\"{}\"", name.text.replace('"', "\"\""))
}

/// Runs SQL of our own for a statement that names `name`.
fn run_for(
    connection: &Connection,
    statement: &Fragment,
    name: &Name,
    sql: &str,
) -> Result<(), QueryError> {
    let done = connection.execute_batch(sql);
    done.map_err(|error| at(place(statement, name), error))
}

fn place(statement: &Fragment, name: &Name) -> Location {
    Location::new(statement.at(name.span))
}

fn refused(statement: &Fragment, name: &Name, message: String) -> QueryError {
    QueryError::Sql {
        location: Box::new(place(statement, name)),
        message,
    }
}
