//! `DROP PERFETTO …`, `INCLUDE PERFETTO MODULE …`, and its older form `SELECT IMPORT(…)`.

use super::cursor::Cursor;
use crate::dialect::error::Error;
use crate::dialect::source::Span;
use crate::dialect::statement::{Drop, Include, Object, StatementKind};
use crate::dialect::tokens::TokenKind;
use crate::dialect::types::Name;

const OBJECTS: [(&str, Object); 5] = [
    ("TABLE", Object::Table),
    ("VIEW", Object::View),
    ("FUNCTION", Object::Function),
    ("MACRO", Object::Macro),
    ("INDEX", Object::Index),
];

/// `DROP PERFETTO TABLE name`. An index also names its table.
pub(super) fn drop(cursor: &mut Cursor) -> Result<StatementKind, Error> {
    cursor.word("DROP")?;
    cursor.word("PERFETTO")?;
    let object = OBJECTS.iter().find(|(word, _)| cursor.accept_word(word));
    let missing = || cursor.expected("TABLE, VIEW, FUNCTION, MACRO or INDEX");
    let object = object.ok_or_else(missing)?.1;
    let name = cursor.name("a name")?;
    let table = match object {
        Object::Index => {
            cursor.word("ON")?;
            Some(cursor.name("the name of a table")?)
        }
        _ => None,
    };
    cursor.finish()?;
    Ok(StatementKind::Drop(Drop {
        object,
        name,
        table,
    }))
}

/// `INCLUDE PERFETTO MODULE a.b.c`. The last part may be `*`; keywords may be parts.
pub(super) fn include(cursor: &mut Cursor) -> Result<StatementKind, Error> {
    cursor.word("INCLUDE")?;
    cursor.word("PERFETTO")?;
    cursor.word("MODULE")?;
    let start = cursor.peek().map_or(0, |token| token.span().start);
    let mut text = module_part(cursor)?.to_owned();
    while !text.ends_with('*') && cursor.accept(TokenKind::Dot) {
        text.push('.');
        text.push_str(module_part(cursor)?);
    }
    cursor.finish()?;
    let span = Span::new(start, cursor.end());
    Ok(StatementKind::Include(Include {
        module: Name { text, span },
    }))
}

/// `SELECT IMPORT('a.b.c')`; `None` if it is another statement.
pub(super) fn import(cursor: &Cursor<'_>) -> Option<StatementKind> {
    let mut cursor = cursor.clone();
    if !["SELECT", "IMPORT"]
        .iter()
        .all(|word| cursor.accept_word(word))
    {
        return None;
    }
    let module = cursor
        .accept(TokenKind::LeftParen)
        .then(|| cursor.string())??;
    let is_whole = cursor.accept(TokenKind::RightParen) && cursor.finish().is_ok();
    is_whole.then_some(StatementKind::Include(Include { module }))
}

fn module_part<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Error> {
    if cursor.accept(TokenKind::Star) {
        return Ok("*");
    }
    let part = cursor.any_word();
    part.ok_or_else(|| cursor.expected("the name of a module"))
}
