//! Names the module that defines what a statement misses.

use crate::dialect::Problem;
use crate::error::QueryError;
use crate::stdlib::Library;

/// How SQLite's messages begin if it does not know a name, which follows.
const UNKNOWN: [&str; 3] = [
    "no such table: ",
    "no such function: ",
    "no such table-valued function: ",
];

/// The error, with the module to include if one defines the missing table, view, function or macro.
pub(super) fn explained(error: QueryError, library: &Library) -> QueryError {
    match error {
        QueryError::Sql { location, message } => {
            let missing = UNKNOWN
                .iter()
                .find_map(|unknown| message.strip_prefix(unknown));
            let advice = missing.and_then(|name| advice(library, name));
            let message = message.clone() + &advice.unwrap_or_default();
            QueryError::Sql { location, message }
        }
        QueryError::Script(error) => match &error.problem {
            Problem::UnknownMacro(name) => match advice(library, name) {
                Some(advice) => QueryError::Sql {
                    message: format!("{}{advice}", error.problem),
                    location: Box::new(error.location),
                },
                None => QueryError::Script(error),
            },
            _ => QueryError::Script(error),
        },
        error => error,
    }
}

fn advice(library: &Library, name: &str) -> Option<String> {
    let module = library.definer(name)?;
    Some(format!("; INCLUDE PERFETTO MODULE {module} defines it"))
}
