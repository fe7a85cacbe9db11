//! Operators: functions that return a table and compute it in Rust from whole tables.
//!
//! SQL passes a table to an operator as one value: the aggregate `__intrinsic_rows(…)` collects its rows in a BLOB
//! ([`rows`]). So a table can be a common table expression or a subquery, as any other argument.

mod failure;
pub(crate) mod flamegraph;
mod intersect;
mod meter;
mod operator;
mod overlap;
pub(crate) mod real;
pub(crate) mod rows;

pub(crate) use failure::Failure;
pub(crate) use meter::{Meter, Pool};
pub(crate) use operator::{Cells, Operator};

/// The operators that are always there.
pub(crate) fn built_in() -> Vec<Operator> {
    vec![intersect::operator()]
}
