//! An error as JSON, with its place in the query.

use serde_json::{Value, json};
use traceloom_query::QueryError;
use traceloom_query::dialect::{Fragment, Location, Via};

use super::{NAME, QueryOptions};

/// The message; and `line`, `column` (both from 1, in characters) and `length`, if the place is in the query itself.
pub(crate) fn failure(error: &QueryError, options: &QueryOptions) -> Value {
    let place = location(error).and_then(place);
    let message = message(error, options);
    match place {
        Some(at) => json!({
            "error": message,
            "line": at.line(),
            "column": at.column(),
            "length": at.text().chars().count(),
        }),
        None => json!({"error": message}),
    }
}

fn message(error: &QueryError, options: &QueryOptions) -> String {
    match error {
        QueryError::Timeout { .. } => {
            let seconds = options.timeout.as_secs_f64();
            format!("the query was stopped after {seconds} s; --query-timeout sets the limit")
        }
        QueryError::Memory { .. } => {
            let mb = options.memory >> 20;
            format!("the query needs more memory than {mb} MB; --query-memory sets the limit")
        }
        QueryError::Empty { .. } => "there is no SQL statement yet".to_owned(),
        QueryError::Sql { message, location } if place(location).is_some() => message.clone(),
        QueryError::Script(error) if place(&error.location).is_some() => error.problem.to_string(),
        other => other.to_string(),
    }
}

fn location(error: &QueryError) -> Option<&Location> {
    match error {
        QueryError::Sql { location, .. } => Some(location),
        QueryError::Script(error) => Some(&error.location),
        _ => None,
    }
}

/// The place in the query: of the error, or of the call or `INCLUDE` that leads to it.
fn place(location: &Location) -> Option<&Fragment> {
    let through = location.via.iter().map(Via::place);
    let mut places = std::iter::once(&location.at).chain(through);
    places.find(|at| at.source.name() == NAME)
}
