//! Operators: functions that return a table and compute it in Rust from whole tables.
//!
//! SQL passes a table to an operator as one value: the aggregate `__intrinsic_rows(…)` collects its rows in a BLOB
//! ([`rows`]). So a table can be a common table expression or a subquery, as any other argument.

mod failure;
mod intersect;
mod meter;
mod overlap;
pub(crate) mod rows;

pub(crate) use failure::Failure;
pub(crate) use meter::{Meter, Pool};
use rows::{Cell, Rows};

/// A result: the cells of all rows, row by row.
pub(crate) type Cells = Vec<Cell>;

/// An operator.
#[derive(Debug)]
pub(crate) struct Operator {
    pub name: &'static str,
    /// The names of the columns of the result.
    pub columns: &'static [&'static str],
    /// How many tables it takes at most.
    pub most: usize,
    pub run: fn(&[Rows<'_>], &mut Meter) -> Result<Cells, Failure>,
}

/// Every operator.
pub(crate) const OPERATORS: &[&Operator] = &[&intersect::INTERSECT];
