//! `CREATE [OR REPLACE] PERFETTO …`.

use super::cursor::Cursor;
use super::lists;
use crate::dialect::error::{Error, Problem, quoted};
use crate::dialect::statement::{
    CreateFunction, CreateIndex, CreateMacro, CreateRelation, FunctionBody, Returns, StatementKind,
};
use crate::dialect::types::Name;

type Parser = fn(&mut Cursor, bool) -> Result<StatementKind, Error>;

/// The keyword after `PERFETTO`, and the parser of the rest.
const OBJECTS: [(&str, Parser); 5] = [
    ("TABLE", table),
    ("VIEW", view),
    ("FUNCTION", function),
    ("MACRO", definition),
    ("INDEX", index),
];

/// The statement, from its first word on.
pub(super) fn create(cursor: &mut Cursor) -> Result<StatementKind, Error> {
    cursor.word("CREATE")?;
    let replace = cursor.accept_word("OR");
    if replace {
        cursor.word("REPLACE")?;
    }
    cursor.word("PERFETTO")?;
    let object = OBJECTS.iter().find(|(word, _)| cursor.accept_word(word));
    match object {
        Some((_, parse)) => parse(cursor, replace),
        None => Err(cursor.expected("TABLE, VIEW, FUNCTION, MACRO or INDEX")),
    }
}

fn table(cursor: &mut Cursor, replace: bool) -> Result<StatementKind, Error> {
    let name = cursor.name("the name of a table")?;
    if cursor.accept_word("USING") {
        let kind = cursor.identifier("DATAFRAME")?;
        if !kind.text.eq_ignore_ascii_case("dataframe") {
            return Err(cursor.error(kind.span, Problem::TableKind(quoted(&kind.text))));
        }
    }
    relation(cursor, replace, name).map(StatementKind::CreateTable)
}

fn view(cursor: &mut Cursor, replace: bool) -> Result<StatementKind, Error> {
    let name = cursor.name("the name of a view")?;
    relation(cursor, replace, name).map(StatementKind::CreateView)
}

fn relation(cursor: &mut Cursor, replace: bool, name: Name) -> Result<CreateRelation, Error> {
    let columns = lists::schema(cursor)?;
    lists::check_variadic(cursor, &columns, false)?;
    cursor.word("AS")?;
    Ok(CreateRelation {
        replace,
        name,
        columns,
        select: cursor.query()?,
    })
}

fn function(cursor: &mut Cursor, replace: bool) -> Result<StatementKind, Error> {
    let name = cursor.name("the name of a function")?;
    let arguments = lists::arguments(cursor)?;
    cursor.word("RETURNS")?;
    let returns = returns(cursor)?;
    let body = function_body(cursor)?;
    let delegates = matches!(body, FunctionBody::DelegatesTo(_));
    lists::check_variadic(cursor, &arguments, delegates)?;
    Ok(StatementKind::CreateFunction(CreateFunction {
        replace,
        name,
        arguments,
        returns,
        body,
    }))
}

fn returns(cursor: &mut Cursor) -> Result<Returns, Error> {
    if cursor.accept_word("TABLE") {
        let columns = lists::columns(cursor)?;
        lists::check_variadic(cursor, &columns, false)?;
        return Ok(Returns::Table(columns));
    }
    let kind = lists::simple_type(cursor)?;
    lists::reference(cursor)?;
    Ok(Returns::Scalar(kind))
}

fn function_body(cursor: &mut Cursor) -> Result<FunctionBody, Error> {
    if cursor.accept_word("DELEGATES") {
        cursor.word("TO")?;
        let name = cursor.identifier("the name of a function")?;
        cursor.finish()?;
        return Ok(FunctionBody::DelegatesTo(name));
    }
    if !cursor.accept_word("AS") {
        return Err(cursor.expected("AS or DELEGATES TO"));
    }
    Ok(FunctionBody::Select(cursor.query()?))
}

fn definition(cursor: &mut Cursor, replace: bool) -> Result<StatementKind, Error> {
    let name = cursor.name("the name of a macro")?;
    let arguments = lists::macro_arguments(cursor)?;
    cursor.word("RETURNS")?;
    let returns = lists::macro_type(cursor)?;
    cursor.word("AS")?;
    let body = cursor.rest("the text of the macro")?;
    Ok(StatementKind::CreateMacro(CreateMacro {
        replace,
        name,
        arguments,
        returns,
        body,
    }))
}

fn index(cursor: &mut Cursor, replace: bool) -> Result<StatementKind, Error> {
    let name = cursor.name("the name of an index")?;
    cursor.word("ON")?;
    let table = cursor.name("the name of a table")?;
    let columns = lists::list(cursor, false, |cursor| {
        cursor.identifier("the name of a column")
    })?;
    cursor.finish()?;
    Ok(StatementKind::CreateIndex(CreateIndex {
        replace,
        name,
        table,
        columns,
    }))
}
