//! `CREATE VIRTUAL TABLE … USING __intrinsic_window(start, dur, step)`: a function without arguments, whose rows are
//! the intervals of a range. A step of 0 is the whole range.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::execute::at;
use super::report::{is_known, place, refused};
use crate::dialect::{CreateWindow, Fragment};
use crate::error::QueryError;
use crate::sqlite::table_call::{self, TableFunction};

/// Creates the function.
pub(super) fn create(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &CreateWindow,
) -> Result<(), QueryError> {
    let name = &it.name.text;
    if is_known(connection, name)? {
        let message = format!("there is already a table {name}");
        return Err(refused(statement, &it.name, message));
    }
    let numbers = catalog.macros.expand(&it.numbers)?;
    let sql = select(numbers.sql()).map_err(|message| refused(statement, &it.name, message))?;
    let function = TableFunction {
        name: name.clone(),
        arguments: Vec::new(),
        columns: ["ts", "dur", "quantum_ts"].map(str::to_owned).to_vec(),
        sql,
    };
    let defined = table_call::define(connection, function);
    defined.map_err(|error| at(place(statement, &it.name), error))?;
    catalog.virtual_tables.insert(name.to_ascii_lowercase());
    Ok(())
}

/// The intervals of a range, as a query. The last one may end after the range.
fn select(numbers: &str) -> Result<String, String> {
    let numbers: Result<Vec<i64>, _> = numbers.split(',').map(|it| it.trim().parse()).collect();
    let three = numbers.ok().and_then(|it| <[i64; 3]>::try_from(it).ok());
    let Some([start, dur, step]) = three else {
        return Err(
            "__intrinsic_window needs three whole numbers: start, duration, step".to_owned(),
        );
    };
    let step = if step == 0 { dur } else { step };
    if step < 0 {
        return Err(
            "the duration and the step of __intrinsic_window must not be negative".to_owned(),
        );
    }
    let end = start.saturating_add(dur);
    Ok(format!(
        "WITH RECURSIVE it(ts, place) AS ( \
           SELECT {start}, 0 WHERE {start} < {end} \
           UNION ALL SELECT ts + {step}, place + 1 FROM it WHERE ts + {step} < {end}) \
         SELECT ts, {step} AS dur, place AS quantum_ts FROM it"
    ))
}
