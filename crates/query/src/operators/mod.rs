//! Operators: functions that return a table and compute it in Rust from whole tables.
//!
//! SQL passes a table to an operator as one value: the aggregate `__intrinsic_rows(…)` collects its rows in a BLOB
//! ([`rows`]). So a table argument can be a common table expression or a subquery.

mod annotated;
mod failure;
pub(crate) mod flamegraph;
mod graph;
mod groups;
mod intersect;
pub(crate) mod intrinsic;
mod meter;
mod operator;
mod overlap;
pub(crate) mod rows;
mod slices;

use std::sync::Arc;

use crate::schema::Data;
pub(crate) use annotated::Marks;
pub(crate) use failure::Failure;
pub(crate) use meter::{Meter, Pool};
pub(crate) use operator::{Cells, Operator};

/// The operators that every session has.
pub(crate) fn built_in(data: &Arc<Data>) -> Vec<Operator> {
    let mut operators = vec![intersect::operator()];
    operators.extend(slices::operators(data));
    operators.extend(graph::operators());
    operators.extend(annotated::operator(data));
    operators
}
