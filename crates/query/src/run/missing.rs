//! Adds advice to errors about missing names.

use crate::absent;
use crate::dialect::{Error, Problem};
use crate::error::QueryError;
use crate::stdlib::Library;

/// The beginnings of SQLite's messages about an unknown table or function. The name follows.
const UNKNOWN: [&str; 3] = [
    "no such table: ",
    "no such function: ",
    "no such table-valued function: ",
];

/// The error with advice: the module that defines the missing name, or what to use instead.
pub(super) fn explained(error: QueryError, library: &Library) -> QueryError {
    match error {
        QueryError::Sql { location, message } => {
            let advice = of_message(library, &message);
            let message = message + &advice.unwrap_or_default();
            QueryError::Sql { location, message }
        }
        QueryError::Script(error) => of_script(library, *error),
        error => error,
    }
}

/// Advice on a message of SQLite.
fn of_message(library: &Library, message: &str) -> Option<String> {
    if let Some(column) = message.strip_prefix("no such column: ") {
        return absent::column(column).map(|advice| format!("; {advice}"));
    }
    let mut beginnings = UNKNOWN.iter();
    let name = beginnings.find_map(|unknown| message.strip_prefix(unknown))?;
    let table = || absent::table(name).map(|advice| format!("; {advice}"));
    of_module(library, name).or_else(table)
}

fn of_script(library: &Library, error: Error) -> QueryError {
    let Problem::UnknownMacro(name) = &error.problem else {
        return error.into();
    };
    let Some(advice) = of_module(library, name) else {
        return error.into();
    };
    QueryError::Sql {
        message: format!("{}{advice}", error.problem),
        location: Box::new(error.location),
    }
}

fn of_module(library: &Library, name: &str) -> Option<String> {
    let module = library.definer(name)?;
    Some(format!("; INCLUDE PERFETTO MODULE {module} defines it"))
}
