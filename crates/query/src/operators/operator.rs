//! What an operator is.

use super::failure::Failure;
use super::meter::Meter;
use super::rows::{Cell, Rows};

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
