//! `__intrinsic_interval_intersect(t0, t1, …, names)`: the operator of this name as a function.

use std::borrow::Cow;

use rusqlite::types::ValueRef;

use super::names::names;
use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::intersect::{COLUMNS, KEYS, Key, TABLES, run};
use crate::operators::meter::Meter;
use crate::operators::rows::whole;

/// In each row, the values that identify the partition follow their names. The last argument lists the names.
pub(super) fn by_names(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let Some((list, tables)) = arguments.split_last().filter(|(_, it)| it.len() <= TABLES) else {
        let message = format!("{TABLES} tables can be intersected at most");
        return Err(Failure::refused(message));
    };
    let list = names(Some(list))?;
    if list.len() > KEYS {
        let message = format!("more than {KEYS} columns name the partition");
        return Err(Failure::refused(message));
    }
    let cells = run(tables, whole, key, meter)?;
    let mut names: Vec<Cow<'static, str>> = COLUMNS.iter().map(|name| (*name).into()).collect();
    for (column, name) in names.iter_mut().skip(2 + TABLES).zip(list) {
        *column = name.into();
    }
    Ok(Table { names, cells })
}

/// The values after `id`, `ts` and `dur`, without their names.
fn key<'a>(row: &[&'a [u8]]) -> Key<'a> {
    row.iter().skip(4).step_by(2).copied().collect()
}
