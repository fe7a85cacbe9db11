//! `SELECT count(*) FROM table` without visiting each row. SQLite would step through every row of a virtual table.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::report::is_in_schema;
use crate::dialect::{Token, TokenKind, tokens_of};

/// The answer to a statement that only counts the rows of one of the trace's tables; `None` for any other statement.
pub(super) fn row_count(connection: &Connection, catalog: &Catalog, sql: &str) -> Option<i64> {
    let table = counted(sql)?.to_ascii_lowercase();
    let rows = *catalog.row_counts.get(&table)?;
    let is_own = is_in_schema(connection, &table).unwrap_or(true);
    (!is_own).then_some(i64::try_from(rows).ok()?)
}

/// The table whose rows a statement counts, if the statement does nothing else.
fn counted(sql: &str) -> Option<&str> {
    let tokens = tokens_of(sql).ok()?;
    let tokens: Vec<Token> = tokens.into_iter().filter(|it| !it.is_space()).collect();
    let (head, tail) = tokens.split_at_checked(5)?;
    let is_count = head[0].is_word(sql, "SELECT") && head[1].is_word(sql, "count");
    let kinds = [head[2].kind, head[3].kind, head[4].kind];
    let counts_rows = kinds == [TokenKind::LeftParen, TokenKind::Star, TokenKind::RightParen];
    let name = match tail {
        [from, name] if from.is_word(sql, "FROM") => name,
        [word, _, from, name] if word.is_word(sql, "AS") && from.is_word(sql, "FROM") => name,
        _ => return None,
    };
    (is_count && counts_rows && name.kind == TokenKind::Word).then(|| name.text(sql))
}
