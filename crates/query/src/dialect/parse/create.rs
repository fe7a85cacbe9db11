//! `CREATE [OR REPLACE] PERFETTO …`.

use super::cursor::Cursor;
use super::lists;
use crate::dialect::error::{Error, Problem, quoted};
use crate::dialect::statement::{
    CreateFunction, CreateIndex, CreateMacro, CreateRelation, FunctionBody, Returns, StatementKind,
};
use crate::dialect::types::Name;

/// The statement, from its first word on.
pub(super) fn create(cursor: &mut Cursor) -> Result<StatementKind, Error> {
    cursor.word("CREATE")?;
    let replace = cursor.accept_word("OR");
    if replace {
        cursor.word("REPLACE")?;
    }
    cursor.word("PERFETTO")?;
    if cursor.accept_word("TABLE") {
        return table(cursor, replace).map(StatementKind::CreateTable);
    }
    if cursor.accept_word("VIEW") {
        let name = cursor.name("the name of a view")?;
        return relation(cursor, replace, name).map(StatementKind::CreateView);
    }
    if cursor.accept_word("FUNCTION") {
        return function(cursor, replace).map(StatementKind::CreateFunction);
    }
    if cursor.accept_word("MACRO") {
        return definition(cursor, replace).map(StatementKind::CreateMacro);
    }
    if cursor.accept_word("INDEX") {
        return index(cursor, replace).map(StatementKind::CreateIndex);
    }
    Err(cursor.expected("TABLE, VIEW, FUNCTION, MACRO or INDEX"))
}

fn table(cursor: &mut Cursor, replace: bool) -> Result<CreateRelation, Error> {
    let name = cursor.name("the name of a table")?;
    if cursor.accept_word("USING") {
        let kind = cursor.name("DATAFRAME")?;
        if !kind.text.eq_ignore_ascii_case("dataframe") {
            return Err(cursor.error(kind.span, Problem::TableKind(quoted(&kind.text))));
        }
    }
    relation(cursor, replace, name)
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

fn function(cursor: &mut Cursor, replace: bool) -> Result<CreateFunction, Error> {
    let name = cursor.name("the name of a function")?;
    let arguments = lists::arguments(cursor)?;
    cursor.word("RETURNS")?;
    let returns = returns(cursor)?;
    let body = function_body(cursor)?;
    let delegates = matches!(body, FunctionBody::DelegatesTo(_));
    lists::check_variadic(cursor, &arguments, delegates)?;
    Ok(CreateFunction {
        replace,
        name,
        arguments,
        returns,
        body,
    })
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
        let name = cursor.name("the name of a function")?;
        cursor.finish()?;
        return Ok(FunctionBody::DelegatesTo(name));
    }
    if !cursor.accept_word("AS") {
        return Err(cursor.expected("AS or DELEGATES TO"));
    }
    Ok(FunctionBody::Select(cursor.query()?))
}

fn definition(cursor: &mut Cursor, replace: bool) -> Result<CreateMacro, Error> {
    let name = cursor.name("the name of a macro")?;
    let arguments = lists::macro_arguments(cursor)?;
    cursor.word("RETURNS")?;
    let returns = lists::macro_type(cursor)?;
    cursor.word("AS")?;
    let body = cursor.rest("the text of the macro")?;
    Ok(CreateMacro {
        replace,
        name,
        arguments,
        returns,
        body,
    })
}

fn index(cursor: &mut Cursor, replace: bool) -> Result<CreateIndex, Error> {
    let name = cursor.name("the name of an index")?;
    cursor.word("ON")?;
    let table = cursor.name("the name of a table")?;
    let columns = lists::list(cursor, false, |cursor| cursor.name("the name of a column"))?;
    cursor.finish()?;
    Ok(CreateIndex {
        replace,
        name,
        table,
        columns,
    })
}
