//! Related slices: by nesting, and by flows.

mod family;
mod flows;
mod layout;

use std::sync::{Arc, OnceLock};

use rusqlite::types::ValueRef;

use super::failure::Failure;
use super::operator::{Cells, Operator};
use super::rows::Cell;
use crate::schema::Data;
use family::Family;
use flows::{Direction, Flows};

/// Indexes of a trace, built when a query first needs them.
struct Index {
    data: Arc<Data>,
    family: OnceLock<Family>,
    flows: OnceLock<Flows>,
}

impl Index {
    fn family(&self) -> &Family {
        self.family.get_or_init(|| Family::new(&self.data.trace))
    }

    fn flows(&self) -> &Flows {
        self.flows.get_or_init(|| Flows::new(&self.data.trace))
    }
}

/// The columns of functions that return flows.
const FLOW: &[&str] = &["id", "slice_out", "slice_in", "trace_id", "arg_set_id"];

/// The functions that return flows.
const OF_FLOWS: [(&str, Direction); 3] = [
    ("directly_connected_flow", Direction::Both),
    ("following_flow", Direction::Following),
    ("preceding_flow", Direction::Preceding),
];

/// The operators of slices.
pub(super) fn operators(data: &Arc<Data>) -> Vec<Operator> {
    let index = Arc::new(Index {
        data: data.clone(),
        family: OnceLock::new(),
        flows: OnceLock::new(),
    });
    let mut operators: Vec<Operator> = OF_FLOWS
        .iter()
        .map(|&(name, direction)| {
            let index = index.clone();
            Operator::built_in(name, FLOW, (1, 1), move |arguments, meter| {
                let Some(slice) = slice(&index, arguments)? else {
                    return Ok(Cells::new());
                };
                index
                    .flows()
                    .search(index.family(), slice, direction, meter)
            })
        })
        .collect();
    let of_layout = data.clone();
    let run = move |arguments: &[ValueRef<'_>], meter: &mut _| match arguments.first() {
        Some(ValueRef::Text(tracks)) => {
            layout::layout(&of_layout.trace, &String::from_utf8_lossy(tracks), meter)
        }
        _ => Err(Failure::refused(
            "experimental_slice_layout takes the ids of tracks as a text",
        )),
    };
    operators.push(Operator::built_in(
        "experimental_slice_layout",
        &["id", "layout_depth"],
        (1, 1),
        run,
    ));
    let of_ancestors = index.clone();
    let run = move |arguments: &[ValueRef<'_>], meter: &mut _| {
        let slice = slice(&of_ancestors, arguments)?;
        ids(slice.map(|slice| of_ancestors.family().ancestors(slice, meter)))
    };
    operators.push(Operator::built_in(
        "__intrinsic_ancestors",
        &["id"],
        (1, 1),
        run,
    ));
    let run = move |arguments: &[ValueRef<'_>], meter: &mut _| {
        let slice = slice(&index, arguments)?;
        ids(slice.map(|slice| index.family().descendants(slice, meter)))
    };
    operators.push(Operator::built_in(
        "__intrinsic_descendants",
        &["id"],
        (1, 1),
        run,
    ));
    operators
}

/// The row of the slice that a call names; `None` for NULL.
fn slice(index: &Index, arguments: &[ValueRef<'_>]) -> Result<Option<u32>, Failure> {
    let id = match arguments.first() {
        Some(ValueRef::Integer(id)) => *id,
        Some(ValueRef::Null) | None => return Ok(None),
        _ => return Err(Failure::refused("the id of a slice must be a whole number")),
    };
    let slice = u32::try_from(id).ok();
    let slice = slice.filter(|slice| (*slice as usize) < index.data.trace.slices.len());
    let missing = || Failure::refused(format!("there is no slice with the id {id}"));
    slice.map(Some).ok_or_else(missing)
}

/// The rows of slices as a table, in the order of their ids.
fn ids(slices: Option<Result<Vec<u32>, Failure>>) -> Result<Cells, Failure> {
    let mut slices = slices.unwrap_or(Ok(Vec::new()))?;
    slices.sort_unstable();
    Ok(slices
        .into_iter()
        .map(|slice| Cell::Integer(slice.into()))
        .collect())
}
