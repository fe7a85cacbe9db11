//! Functions that a script defines as further names of existing functions: `DELEGATES TO`.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Error};

use super::call::Depth;
use super::collect::within;
use super::table;

/// Defines a function that passes its `count` arguments on to `target`; -1 means any number.
///
/// # Errors
///
/// If the target does not exist or is an aggregate, or SQLite rejects the definition.
pub(super) fn define(
    connection: &Connection,
    (name, count): (&str, i32),
    target: &str,
) -> rusqlite::Result<()> {
    check(connection, count, target)?;
    let target = format!("\"{}\"", target.replace('"', "\"\""));
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(name, count, flags, move |context| {
        let Some(_depth) = Depth::enter() else {
            return Err(failed(format!("{target} calls itself too deeply")));
        };
        call(&target, context).map_err(within)
    })
}

/// Checks that `target` is a function that takes `count` arguments and returns a value.
fn check(connection: &Connection, count: i32, target: &str) -> rusqlite::Result<()> {
    let sql = "SELECT type, narg FROM pragma_function_list WHERE lower(name) = lower(?1)";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map([target], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(String, i32)> = found.collect::<Result<_, _>>()?;
    let fits = |narg: i32| narg < 0 || count < 0 || narg == count;
    let mut found = found.iter().filter(|(_, narg)| fits(*narg));
    match found.next() {
        None => Err(failed(format!(
            "there is no function {target} with {} to delegate to",
            arguments(count)
        ))),
        Some((kind, _)) if kind != "s" => Err(failed(format!(
            "{target} is an aggregate, to which a function cannot delegate"
        ))),
        Some(_) => Ok(()),
    }
}

fn arguments(count: i32) -> String {
    match usize::try_from(count) {
        Ok(count) => table::arguments(count),
        Err(_) => "any number of arguments".to_owned(),
    }
}

fn failed(message: String) -> Error {
    Error::UserFunctionError(message.into())
}

fn call(target: &str, context: &Context<'_>) -> rusqlite::Result<Value> {
    // SAFETY: the connection is used during this call only, and is not closed.
    let connection = unsafe { context.get_connection()? };
    let marks = vec!["?"; context.len()].join(", ");
    let mut statement = connection.prepare(&format!("SELECT {target}({marks})"))?;
    for at in 0..context.len() {
        statement.raw_bind_parameter(at + 1, context.get::<Value>(at)?)?;
    }
    let mut rows = statement.raw_query();
    rows.next()?.map_or(Ok(Value::Null), |row| row.get(0))
}
