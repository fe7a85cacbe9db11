//! Operators of graphs as functions.

use rusqlite::types::ValueRef;

use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::graph::{dominators, partition, search};
use crate::operators::meter::Meter;

const REACHED: &[&str] = &["node_id", "parent_node_id"];

pub(super) fn depth_first(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let cells = search::depth_first(arguments, meter)?;
    Ok(Table::new(REACHED, cells))
}

pub(super) fn breadth_first(
    arguments: &[ValueRef<'_>],
    meter: &mut Meter,
) -> Result<Table, Failure> {
    let cells = search::breadth_first(arguments, meter)?;
    Ok(Table::new(REACHED, cells))
}

/// Each row has the source and the destination of an edge, and the root.
pub(super) fn dominator_tree(
    arguments: &[ValueRef<'_>],
    meter: &mut Meter,
) -> Result<Table, Failure> {
    let cells = dominators::with_root(arguments.first(), meter)?;
    Ok(Table::new(&["node_id", "dominator_node_id"], cells))
}

pub(super) fn partition(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let cells = partition::run(arguments, meter)?;
    let names = &["node_id", "parent_node_id", "group_key"];
    Ok(Table::new(names, cells))
}
