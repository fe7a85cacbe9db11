//! Older ways to define functions that scripts still use: calls of SQL functions.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Null;
use rusqlite::{Connection, Error};

use super::call::Function;
use super::defined::Defined;
use super::table_call::TableFunction;
use crate::dialect::{Problem, Prototype, Type};

/// Registers these functions with a connection. Views and triggers cannot use them.
pub(crate) fn register(connection: &Connection, defined: &Defined) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    let known = defined.clone();
    connection.create_scalar_function("create_function", 3, flags, move |context| {
        create_function(&known, context)
    })?;
    let known = defined.clone();
    connection.create_scalar_function("create_view_function", 3, flags, move |context| {
        create_view_function(&known, context)
    })?;
    let known = defined.clone();
    connection.create_scalar_function("experimental_memoize", 1, flags, move |context| {
        memoize(&known, context)
    })
}

/// `experimental_memoize('name')`: caches the results of a function of one whole number.
fn memoize(defined: &Defined, context: &Context<'_>) -> rusqlite::Result<Null> {
    let name: String = context.get(0)?;
    if defined.memoize(&name) {
        return Ok(Null);
    }
    let message = format!("there is no function {name} of one argument");
    Err(Error::UserFunctionError(message.into()))
}

/// `create_function('name(arg TYPE, …)', 'TYPE', 'SELECT …')`.
fn create_function(defined: &Defined, context: &Context<'_>) -> rusqlite::Result<Null> {
    let (prototype, returns, sql) = arguments(context)?;
    if Type::parse(&returns).is_none() {
        return Err(Error::UserFunctionError(
            format!("{returns} is not a type").into(),
        ));
    }
    let function = Function {
        arguments: names(&prototype.arguments),
        name: prototype.name,
        sql,
    };
    // SQLite cannot replace a function while a statement runs, but repeating the same definition has no effect.
    if defined.has(&function) {
        return Ok(Null);
    }
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    defined.scalar(&connection, function, true)?;
    Ok(Null)
}

/// `create_view_function('name(arg TYPE, …)', 'column TYPE, …', 'SELECT …')`.
fn create_view_function(defined: &Defined, context: &Context<'_>) -> rusqlite::Result<Null> {
    let (prototype, columns, sql) = arguments(context)?;
    let columns = Prototype::parse_columns(&columns).map_err(refused)?;
    let function = TableFunction {
        arguments: names(&prototype.arguments),
        columns: names(&columns),
        name: prototype.name,
        sql,
    };
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    defined.table(&connection, function, true)?;
    Ok(Null)
}

fn arguments(context: &Context<'_>) -> rusqlite::Result<(Prototype, String, String)> {
    let prototype: String = context.get(0)?;
    let prototype = Prototype::parse(&prototype).map_err(refused)?;
    Ok((prototype, context.get(1)?, context.get(2)?))
}

fn names(columns: &[(String, Type)]) -> Vec<String> {
    columns.iter().map(|(name, _)| name.clone()).collect()
}

fn refused(problem: Problem) -> Error {
    Error::UserFunctionError(problem.to_string().into())
}
