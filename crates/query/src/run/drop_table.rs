//! `DROP TABLE` for a table created by `CREATE VIRTUAL TABLE`. For SQLite, this table is a module.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::at;
use super::span_join::{left_of, right_of};
use crate::dialect::Location;
use crate::error::QueryError;
use crate::sqlite::table_call;

/// The name of such a table in lowercase, if the statement is its `DROP TABLE`.
pub(super) fn dropped(catalog: &Catalog, sql: &str) -> Option<String> {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let is = |at: usize, word: &str| {
        words
            .get(at)
            .is_some_and(|it| it.eq_ignore_ascii_case(word))
    };
    let name = match words.as_slice() {
        [_, _, name] => name,
        [_, _, _, _, name] if is(2, "IF") && is(3, "EXISTS") => name,
        _ => return None,
    };
    let name = name.trim_matches('"').to_ascii_lowercase();
    let is_known = catalog.virtual_tables.contains(&name);
    (is(0, "DROP") && is(1, "TABLE") && is_known).then_some(name)
}

/// Drops the table.
pub(super) fn drop(
    connection: &Connection,
    catalog: &mut Catalog,
    place: Location,
    name: &str,
) -> Result<(), QueryError> {
    if !catalog.virtual_tables.remove(name) {
        return Ok(());
    }
    let done = [name, &left_of(name), &right_of(name)]
        .into_iter()
        .try_for_each(|name| table_call::remove(connection, name));
    done.map_err(|error| at(place, error))
}
