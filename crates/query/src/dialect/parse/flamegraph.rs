//! `CREATE VIRTUAL TABLE name USING __intrinsic_flamegraph(table)` and `__intrinsic_window(start, dur, step)`.

use super::cursor::Cursor;
use crate::dialect::source::Fragment;
use crate::dialect::statement::{CreateFlamegraph, CreateWindow, StatementKind};
use crate::dialect::tokens::TokenKind;
use crate::dialect::types::Name;

/// The statement; `None` if it is another one.
pub(super) fn flamegraph(cursor: &Cursor<'_>) -> Option<StatementKind> {
    let (name, source) = virtual_table(cursor, "__intrinsic_flamegraph")?;
    Some(StatementKind::CreateFlamegraph(CreateFlamegraph {
        name,
        source,
    }))
}

/// The statement; `None` if it is another one.
pub(super) fn window(cursor: &Cursor<'_>) -> Option<StatementKind> {
    let (name, numbers) = virtual_table(cursor, "__intrinsic_window")?;
    Some(StatementKind::CreateWindow(CreateWindow { name, numbers }))
}

/// The name and the arguments of a virtual table of this kind.
fn virtual_table(cursor: &Cursor<'_>, kind: &str) -> Option<(Name, Fragment)> {
    let mut cursor = cursor.clone();
    let words = ["CREATE", "VIRTUAL", "TABLE"];
    if !words.iter().all(|word| cursor.accept_word(word)) {
        return None;
    }
    let name = cursor.name("the name of a table").ok()?;
    let is_one = cursor.accept_word("USING")
        && cursor.accept_word(kind)
        && cursor.accept(TokenKind::LeftParen);
    let arguments = is_one.then(|| cursor.until_last_parenthesis())??;
    Some((name, arguments))
}
