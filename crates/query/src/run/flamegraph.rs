//! `CREATE VIRTUAL TABLE … USING __intrinsic_flamegraph(…)`: reads the frames once, and creates an operator for them.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::catalog::Catalog;
use super::execute::{Bound, at, at_place, names, prepare};
use super::report::{is_known, place, refused};
use crate::dialect::{CreateFlamegraph, Expanded, Fragment};
use crate::error::QueryError;
use crate::operators::Failure;
use crate::operators::flamegraph::{Builder, Source, operator};
use crate::sqlite::operator::define;

/// Creates the operator.
pub(super) fn create(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &CreateFlamegraph,
    params: &mut Bound<'_>,
) -> Result<(), QueryError> {
    let name = &it.name.text;
    if is_known(connection, name)? {
        let message = format!("there is already a table {name}");
        return Err(refused(statement, &it.name, message));
    }
    let frames = catalog.macros.expand(&it.source)?;
    let frames = frames.wrap("SELECT * FROM ", "");
    let source = read(connection, catalog, &frames, params);
    let source = source?.map_err(|failure| match failure {
        Failure::Refused(message) => refused(statement, &it.name, message),
        Failure::Interrupted => QueryError::Interrupted,
        Failure::Memory => QueryError::OutOfMemory,
    })?;
    let defined = define(connection, operator(name, source), &catalog.pool);
    defined.map_err(|error| at(place(statement, &it.name), error))?;
    let name = name.to_ascii_lowercase();
    catalog.virtual_tables.insert(name);
    Ok(())
}

/// Reads the frames.
fn read(
    connection: &Connection,
    catalog: &Catalog,
    frames: &Expanded,
    params: &mut Bound<'_>,
) -> Result<Result<Source, Failure>, QueryError> {
    let mut statement = prepare(connection, frames)?;
    params.bind(&mut statement)?;
    let names = names(&statement);
    let width = names.len();
    let mut builder = match Builder::new(names, catalog.pool.meter()) {
        Ok(builder) => builder,
        Err(failure) => return Ok(Err(failure)),
    };
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| at_place(frames, error))? {
        let values: Result<Vec<ValueRef<'_>>, _> = (0..width).map(|at| row.get_ref(at)).collect();
        if let Err(failure) = builder.row(&values?) {
            return Ok(Err(failure));
        }
    }
    Ok(builder.finish())
}
