//! Runs one statement of SQLite, and maps its errors to their places in the script.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement};

use super::output::{Output, Params};
use crate::dialect::{Expanded, Location};
use crate::error::QueryError;
use crate::sqlite::nesting;

/// The parameters, and which of them have been used by a statement.
pub(super) struct Bound<'p> {
    params: &'p Params,
    used: Vec<bool>,
}

impl<'p> Bound<'p> {
    pub fn new(params: &'p Params) -> Self {
        let used = vec![false; params.len()];
        Self { params, used }
    }

    /// Binds the parameters of a statement to their values.
    pub fn bind(&mut self, statement: &mut Statement<'_>) -> Result<(), QueryError> {
        for at in 1..=statement.parameter_count() {
            let name = statement.parameter_name(at).unwrap_or("?").to_owned();
            let bare = name.trim_start_matches([':', '@', '$']);
            let Some(given) = self.params.iter().position(|(known, _)| known == bare) else {
                return Err(QueryError::MissingParameter { name });
            };
            self.used[given] = true;
            statement.raw_bind_parameter(at, &self.params[given].1)?;
        }
        Ok(())
    }

    /// Rejects parameters that no statement uses, because their names are usually misspelled.
    pub fn check(&self) -> Result<(), QueryError> {
        let mut unused = self
            .params
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !**used);
        match unused.next() {
            Some(((name, _), _)) => Err(QueryError::UnknownParameter { name: name.clone() }),
            None => Ok(()),
        }
    }
}

/// Runs a statement. Returns whether it has columns.
pub(super) fn execute(
    connection: &Connection,
    sql: &Expanded,
    params: &mut Bound<'_>,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    let mut statement = prepare(connection, sql)?;
    params.bind(&mut statement)?;
    let names = names(&statement);
    if !names.is_empty() {
        out.columns(&names)?;
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| at_place(sql, error))? {
        let values: Result<Vec<ValueRef<'_>>, _> =
            (0..names.len()).map(|column| row.get_ref(column)).collect();
        out.row(&values?)?;
    }
    Ok(!names.is_empty())
}

/// Answers a statement whose only value is already known. SQLite still checks the statement and names its column.
pub(super) fn answer(
    connection: &Connection,
    sql: &Expanded,
    value: i64,
    out: &mut dyn Output,
) -> Result<bool, QueryError> {
    let statement = prepare(connection, sql)?;
    out.columns(&names(&statement))?;
    out.row(&[ValueRef::Integer(value)])?;
    Ok(true)
}

/// A statement, ready to run.
pub(super) fn prepare<'c>(
    connection: &'c Connection,
    sql: &Expanded,
) -> Result<Statement<'c>, QueryError> {
    nesting::prepare(connection, sql.sql()).map_err(|error| at_place(sql, error))
}

/// The names of a statement's columns.
pub(super) fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

/// The error with its place in the script.
pub(super) fn at_place(sql: &Expanded, error: rusqlite::Error) -> QueryError {
    let location = match &error {
        rusqlite::Error::SqlInputError { offset, .. } => {
            let offset = usize::try_from(*offset).ok();
            offset.map(|offset| sql.map().locate(offset))
        }
        _ => None,
    };
    at(location.unwrap_or_else(|| sql.map().start()), error)
}

/// The error of SQLite at a place.
pub(super) fn at(location: Location, error: rusqlite::Error) -> QueryError {
    let message = match (error.sqlite_error_code(), error) {
        (Some(ErrorCode::OperationInterrupted), _) => return QueryError::Interrupted,
        (Some(ErrorCode::OutOfMemory), _) => return QueryError::OutOfMemory,
        (Some(ErrorCode::AuthorizationForStatementDenied), _) => {
            "this is not allowed: a query cannot reach files, load code, change settings or create virtual tables"
                .to_owned()
        }
        (_, rusqlite::Error::SqlInputError { msg, .. }) => msg,
        (_, rusqlite::Error::SqliteFailure(_, Some(message))) => message,
        (_, other) => other.to_string(),
    };
    QueryError::Sql {
        location: Box::new(location),
        message,
    }
}
