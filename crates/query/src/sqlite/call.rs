//! Functions that a script defines: each call runs a `SELECT`.

use std::cell::Cell;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Error};

use super::collect::within;
use super::memo::Memo;
use super::nesting;

/// The maximum nesting depth of function calls. Each level needs stack.
const MOST_CALLS: usize = 50;

thread_local! {
    /// The current nesting depth.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// A running call of a function.
pub(super) struct Depth;

impl Depth {
    /// Begins a call; `None` if calls are nested too deeply.
    pub fn enter() -> Option<Self> {
        let depth = CALLS.get() + 1;
        (depth <= MOST_CALLS).then(|| {
            CALLS.set(depth);
            Self
        })
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// A function that returns the value of a `SELECT` with one column and at most one row. Without a row, it returns NULL.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: String,
    /// The names of the arguments, which the `SELECT` refers to as `$name`.
    pub arguments: Vec<String>,
    pub sql: String,
}

/// Defines a function, or replaces the one of this name. Its results can be kept.
///
/// # Errors
/// If SQLite refuses.
pub(crate) fn define(connection: &Connection, function: Function) -> rusqlite::Result<Memo> {
    let name = function.name.clone();
    let arguments = i32::try_from(function.arguments.len()).unwrap_or(i32::MAX);
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    let memo = Memo::default();
    let results = memo.clone();
    connection.create_scalar_function(name.as_str(), arguments, flags, move |context| {
        let Some(_depth) = Depth::enter() else {
            let message = format!("it calls itself more than {MOST_CALLS} levels deep");
            return Err(wrong(&function, &message));
        };
        let argument = match context.len() {
            1 => context.get_raw(0).as_i64().ok(),
            _ => None,
        };
        let run = |number| call(&function, context, number);
        results.call(argument, run).map_err(within)
    })?;
    Ok(memo)
}

/// Runs the `SELECT` with the arguments of the call, or with `number` as the only one.
fn call(
    function: &Function,
    context: &Context<'_>,
    number: Option<i64>,
) -> rusqlite::Result<Value> {
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    let mut statement = nesting::prepare(&connection, &function.sql)?;
    for at in 1..=statement.parameter_count() {
        let name = statement.parameter_name(at).unwrap_or_default();
        let bare = name.trim_start_matches([':', '@', '$']);
        let known = function.arguments.iter();
        let argument = known.into_iter().position(|known| known == bare);
        let argument = argument.ok_or_else(|| Error::InvalidParameterName(name.to_owned()))?;
        let value = number.map_or_else(|| context.get(argument), |number| Ok(number.into()));
        let value: Value = value?;
        statement.raw_bind_parameter(at, value)?;
    }
    let columns = statement.column_count();
    if columns != 1 {
        return Err(wrong(
            function,
            &format!("its SELECT has {columns} columns, not one"),
        ));
    }
    let mut rows = statement.raw_query();
    let value = match rows.next()? {
        Some(row) => row.get(0)?,
        None => return Ok(Value::Null),
    };
    // Without an order, any row may be the first one.
    match rows.next()? {
        None => Ok(value),
        Some(_) => Err(wrong(function, "its SELECT has more than one row")),
    }
}

fn wrong(function: &Function, what: &str) -> Error {
    Error::UserFunctionError(format!("{}: {what}", function.name).into())
}
