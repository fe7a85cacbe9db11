//! Lists of columns and arguments, and types.

use super::cursor::Cursor;
use crate::dialect::error::{Error, Problem, quoted};
use crate::dialect::tokens::TokenKind;
use crate::dialect::types::{Column, MacroArgument, MacroType, Name, Type};

const TYPE: &str = "a type";

/// Parses `(item, …)`. An empty list is an error unless `empty` is set.
pub(super) fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    empty: bool,
    item: impl Fn(&mut Cursor<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    cursor.token(TokenKind::LeftParen, "(")?;
    let mut items = Vec::new();
    if empty && cursor.accept(TokenKind::RightParen) {
        return Ok(items);
    }
    loop {
        items.push(item(cursor)?);
        if !cursor.accept(TokenKind::Comma) {
            cursor.token(TokenKind::RightParen, ", or )")?;
            return Ok(items);
        }
    }
}

/// The columns of a table or view, if they are listed.
pub(super) fn schema(cursor: &mut Cursor) -> Result<Vec<Column>, Error> {
    match cursor.peek().map(|token| token.kind) {
        Some(TokenKind::LeftParen) => columns(cursor),
        _ => Ok(Vec::new()),
    }
}

/// `(name TYPE, …)` with at least one column.
pub(super) fn columns(cursor: &mut Cursor) -> Result<Vec<Column>, Error> {
    list(cursor, false, column)
}

/// `(name TYPE, …)`, `()`, or with `...` after the last type.
pub(super) fn arguments(cursor: &mut Cursor) -> Result<Vec<Column>, Error> {
    let arguments = list(cursor, true, column)?;
    distinct(cursor, arguments.iter().map(|argument| &argument.name))?;
    Ok(arguments)
}

/// `(name Type, …)` or `()`.
pub(super) fn macro_arguments(cursor: &mut Cursor) -> Result<Vec<MacroArgument>, Error> {
    let arguments = list(cursor, true, |cursor| {
        let name = cursor.identifier("the name of an argument")?;
        Ok(MacroArgument {
            name,
            kind: macro_type(cursor)?,
        })
    })?;
    distinct(cursor, arguments.iter().map(|argument| &argument.name))?;
    Ok(arguments)
}

fn distinct<'a>(cursor: &Cursor, names: impl Iterator<Item = &'a Name>) -> Result<(), Error> {
    let mut seen = rustc_hash::FxHashSet::default();
    for name in names {
        if !seen.insert(&name.text) {
            let problem = Problem::DuplicateArgument(quoted(&name.text));
            return Err(cursor.error(name.span, problem));
        }
    }
    Ok(())
}

fn column(cursor: &mut Cursor) -> Result<Column, Error> {
    let name = cursor.identifier("a name and a type")?;
    let kind = simple_type(cursor)?;
    let refers_to = reference(cursor)?;
    let variadic = cursor.accept(TokenKind::Dot);
    if variadic {
        cursor.token(TokenKind::Dot, "...")?;
        cursor.token(TokenKind::Dot, "...")?;
    }
    Ok(Column {
        name,
        kind,
        refers_to,
        variadic,
    })
}

/// A type: `LONG`, `STRING`.
pub(super) fn simple_type(cursor: &mut Cursor) -> Result<Type, Error> {
    let name = cursor.identifier(TYPE)?;
    let unknown = || cursor.error(name.span, Problem::Type(quoted(&name.text)));
    Type::parse(&name.text).ok_or_else(unknown)
}

/// The column that an id refers to, after its type: `(thread.id)`.
pub(super) fn reference(cursor: &mut Cursor) -> Result<Option<(String, String)>, Error> {
    if !cursor.accept(TokenKind::LeftParen) {
        return Ok(None);
    }
    let table = cursor.identifier("the name of a table")?;
    cursor.token(TokenKind::Dot, ".")?;
    let column = cursor.identifier("the name of a column")?;
    cursor.token(TokenKind::RightParen, ")")?;
    Ok(Some((table.text, column.text)))
}

/// A type of a macro's argument or result: `Expr`, `TableOrSubquery`.
pub(super) fn macro_type(cursor: &mut Cursor) -> Result<MacroType, Error> {
    let name = cursor.identifier(TYPE)?;
    let unknown = || cursor.error(name.span, Problem::MacroType(quoted(&name.text)));
    MacroType::parse(&name.text).ok_or_else(unknown)
}

/// `...` may only follow the last argument, and only if a built-in function is called.
pub(super) fn check_variadic(
    cursor: &Cursor,
    arguments: &[Column],
    delegates: bool,
) -> Result<(), Error> {
    let mut rest = arguments.iter().rev().skip(usize::from(delegates));
    let problem = if delegates {
        Problem::VariadicOrder
    } else {
        Problem::VariadicBody
    };
    match rest.find(|argument| argument.variadic) {
        Some(argument) => Err(cursor.error(argument.name.span, problem)),
        None => Ok(()),
    }
}
