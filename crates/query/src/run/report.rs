//! Names and places in the SQL and in error messages.

use rusqlite::Connection;

use super::execute::at;
use crate::dialect::{Column, Fragment, Location, Name};
use crate::error::QueryError;

/// Whether a column has this name.
pub(super) fn is_same(column: &Column, name: &str) -> bool {
    column.name.text.eq_ignore_ascii_case(name)
}

/// A name quoted for SQLite, whatever it contains.
pub(super) fn quoted(name: &Name) -> String {
    identifier(&name.text)
}

/// The text of a name, quoted for SQLite.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Runs generated SQL for a statement. Errors are reported at `name` in the statement.
pub(super) fn run_for(
    connection: &Connection,
    statement: &Fragment,
    name: &Name,
    sql: &str,
) -> Result<(), QueryError> {
    let done = connection.execute_batch(sql);
    done.map_err(|error| at(place(statement, name), error))
}

pub(super) fn place(statement: &Fragment, name: &Name) -> Location {
    Location::new(statement.at(name.span))
}

pub(super) fn refused(statement: &Fragment, name: &Name, message: String) -> QueryError {
    QueryError::Sql {
        location: Box::new(place(statement, name)),
        message,
    }
}

/// Whether a table, view or table function has this name.
pub(super) fn is_known(connection: &Connection, name: &str) -> Result<bool, QueryError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_list WHERE lower(name) = lower(?1)) OR
               EXISTS (SELECT 1 FROM pragma_module_list WHERE lower(name) = lower(?1))";
    Ok(connection.query_row(sql, [name], |row| row.get(0))?)
}

/// Whether SQLite itself has a table, view or index of this name in lowercase. It then hides a table of the trace.
pub(super) fn is_in_schema(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE lower(name) = ?1)
               OR EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE lower(name) = ?1)";
    connection.query_row(sql, [name], |row| row.get(0))
}
