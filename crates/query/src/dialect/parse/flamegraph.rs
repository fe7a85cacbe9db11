//! `CREATE VIRTUAL TABLE name USING __intrinsic_flamegraph(table)`.

use super::cursor::Cursor;
use crate::dialect::statement::{CreateFlamegraph, StatementKind};
use crate::dialect::tokens::TokenKind;

/// The statement; `None` if it is another one.
pub(super) fn flamegraph(cursor: &Cursor<'_>) -> Option<StatementKind> {
    let mut cursor = cursor.clone();
    let words = ["CREATE", "VIRTUAL", "TABLE"];
    if !words.iter().all(|word| cursor.accept_word(word)) {
        return None;
    }
    let name = cursor.name("the name of a table").ok()?;
    let is_one = cursor.accept_word("USING")
        && cursor.accept_word("__intrinsic_flamegraph")
        && cursor.accept(TokenKind::LeftParen);
    let source = is_one.then(|| cursor.until_last_parenthesis())??;
    Some(StatementKind::CreateFlamegraph(CreateFlamegraph {
        name,
        source,
    }))
}
