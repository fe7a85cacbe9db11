//! Statements that read many common table expressions.
//!
//! SQLite has one limit for the depth of expressions, the depth of subqueries, and the number of tables in a statement.
//! Depth needs stack, so its limit must be low. Tables need none. But a common table expression counts each time
//! another one reads it, so a script of a page or two reaches thousands. Such a statement is prepared again with a
//! higher limit, unless its subqueries alone may be too deep.

use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, Statement};

/// The maximum depth of expressions and subqueries.
const DEPTH: i32 = 1000;

/// The maximum number of tables in a statement. It cannot exceed the limit that SQLite is compiled with:
/// `SQLITE_MAX_EXPR_DEPTH` in `.cargo/config.toml`.
const TABLES: i32 = 20_000;

/// SQLite's message if a statement exceeds the limit with subqueries or with tables.
const MESSAGE: &str = "VIEWs and/or subqueries nested too deep";

/// The number of occurrences of SELECT in a text.
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
            // Expressions are not too deep: the parser has already accepted them.
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
