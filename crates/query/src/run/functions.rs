//! `CREATE PERFETTO FUNCTION` and `DROP PERFETTO FUNCTION`.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::{at, names, prepare};
use super::report::{is_same, place, refused};
use crate::dialect::{Column, CreateFunction, Fragment, FunctionBody, Name, Returns};
use crate::error::QueryError;
use crate::sqlite::call::Function;
use crate::sqlite::table_call::TableFunction;

/// `CREATE PERFETTO FUNCTION`.
pub(super) fn create(
    connection: &Connection,
    catalog: &Catalog,
    statement: &Fragment,
    it: &CreateFunction,
) -> Result<(), QueryError> {
    let body = match (&it.body, &it.returns) {
        (FunctionBody::DelegatesTo(target), Returns::Scalar(_)) => {
            return delegate(connection, catalog, statement, it, target);
        }
        (FunctionBody::DelegatesTo(_), Returns::Table(_)) => {
            let message = "a function that returns a table cannot delegate".to_owned();
            return Err(refused(statement, &it.name, message));
        }
        (FunctionBody::Select(body), Returns::Table(columns)) => {
            return table(connection, catalog, it, body, columns);
        }
        (FunctionBody::Select(body), Returns::Scalar(_)) => body,
    };
    let function = Function {
        name: it.name.text.clone(),
        arguments: column_names(&it.arguments),
        sql: catalog.macros.expand(body)?.sql().to_owned(),
    };
    let defined = catalog.functions.scalar(connection, function, it.replace);
    defined.map_err(|error| at(place(body, &it.name), error))
}

/// `CREATE PERFETTO FUNCTION … DELEGATES TO target`.
fn delegate(
    connection: &Connection,
    catalog: &Catalog,
    statement: &Fragment,
    it: &CreateFunction,
    target: &Name,
) -> Result<(), QueryError> {
    let is_variadic = it.arguments.iter().any(|argument| argument.variadic);
    let count = i32::try_from(it.arguments.len()).unwrap_or(i32::MAX);
    let count = if is_variadic { -1 } else { count };
    let name = (it.name.text.as_str(), count);
    let defined = catalog
        .functions
        .delegate(connection, name, &target.text, it.replace);
    defined.map_err(|error| at(place(statement, target), error))
}

/// `CREATE PERFETTO FUNCTION … RETURNS TABLE`. Its `SELECT` must have the columns in the declared order.
fn table(
    connection: &Connection,
    catalog: &Catalog,
    it: &CreateFunction,
    body: &Fragment,
    columns: &[Column],
) -> Result<(), QueryError> {
    let select = catalog.macros.expand(body)?;
    let found = names(&prepare(connection, &select)?);
    let is_declared = found.len() == columns.len()
        && found
            .iter()
            .zip(columns)
            .all(|(name, column)| is_same(column, name));
    if !is_declared {
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
    let defined = catalog.functions.table(connection, function, it.replace);
    defined.map_err(|error| at(place(body, &it.name), error))
}

/// `DROP PERFETTO FUNCTION`: drops all functions of the name, regardless of the number of their arguments.
pub(super) fn drop(
    connection: &Connection,
    catalog: &Catalog,
    statement: &Fragment,
    name: &Name,
) -> Result<(), QueryError> {
    let removed = catalog.functions.remove(connection, &name.text);
    if removed.map_err(|error| at(place(statement, name), error))? {
        return Ok(());
    }
    let message = format!("there is no function {} that a script defined", name.text);
    Err(refused(statement, name, message))
}

fn column_names(columns: &[Column]) -> Vec<String> {
    columns
        .iter()
        .map(|column| column.name.text.clone())
        .collect()
}
