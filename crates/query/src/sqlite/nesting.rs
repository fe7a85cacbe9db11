//! Statements that read many common table expressions.
//!
//! SQLite has one limit for the depth of expressions, the depth of subqueries, and the number of tables in a statement.
//! Depth needs stack, so the limit must be low. Tables do not, and a common table expression counts again wherever
//! another one reads it: a script of a page or two reaches thousands. Such a statement is prepared with a limit that is
//! high enough, unless it may really be deep.

use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, Statement};

/// The maximum depth of expressions and subqueries.
const DEPTH: i32 = 1000;

/// The maximum number of tables in a statement. It cannot exceed the limit that SQLite is compiled with:
/// `SQLITE_MAX_EXPR_DEPTH` in `.cargo/config.toml`.
const TABLES: i32 = 20_000;

/// SQLite's message if a statement exceeds the limit with subqueries or with tables.
const MESSAGE: &str = "VIEWs and/or subqueries nested too deep";

/// How many times a text says SELECT.
const SELECTS: &str = "(length(sql) - length(replace(lower(sql), 'select', ''))) / 6";

/// Sets the limit of a new connection.
pub(crate) fn limit(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, DEPTH)?;
    Ok(())
}

/// Prepares a statement.
pub(crate) fn prepare<'c>(
    connection: &'c Connection,
    sql: &str,
) -> rusqlite::Result<Statement<'c>> {
    match connection.prepare(sql) {
        Err(error) if is_limit(&error) && most_subqueries(connection, sql)? <= DEPTH => {
            connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, TABLES)?;
            // The parser has accepted the depth of all expressions.
            let prepared = connection.prepare(sql);
            limit(connection)?;
            prepared
        }
        prepared => prepared,
    }
}

fn is_limit(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(_, Some(message)) if message == MESSAGE)
}

/// The number of subqueries that can be within each other: at most all those of the statement and of the views.
fn most_subqueries(connection: &Connection, sql: &str) -> rusqlite::Result<i32> {
    let count = format!(
        "SELECT sum({SELECTS}) FROM (
           SELECT ?1 AS sql UNION ALL
           SELECT sql FROM main.sqlite_schema WHERE type = 'view' UNION ALL
           SELECT sql FROM temp.sqlite_schema WHERE type = 'view')"
    );
    connection.query_row(&count, [sql], |row| row.get(0))
}
