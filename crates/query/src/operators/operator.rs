//! What an operator is.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::failure::Failure;
use super::meter::Meter;
use super::rows::{Cell, Rows};

/// A result: the cells of all rows, row by row.
pub(crate) type Cells = Vec<Cell>;

/// What an operator does with its tables.
pub(crate) type Run = Arc<dyn Fn(&[Rows<'_>], &mut Meter) -> Result<Cells, Failure> + Send + Sync>;

/// The rows that a name stands for.
pub(crate) type Find = Arc<dyn Fn(&str) -> Result<Cells, Failure> + Send + Sync>;

/// An operator.
pub(crate) struct Operator {
    pub name: Cow<'static, str>,
    /// The names of the columns of the result.
    pub columns: Vec<Cow<'static, str>>,
    /// How many tables it takes at most.
    pub most: usize,
    pub run: Run,
    /// The rows of `WHERE __intrinsic_flamegraph_find(first column, name)`, which replace the result.
    pub find: Option<Find>,
}

impl Operator {
    /// An operator that is always there.
    pub fn built_in(
        name: &'static str,
        columns: &[&'static str],
        most: usize,
        run: fn(&[Rows<'_>], &mut Meter) -> Result<Cells, Failure>,
    ) -> Self {
        Self {
            name: name.into(),
            columns: columns.iter().map(|name| (*name).into()).collect(),
            most,
            run: Arc::new(run),
            find: None,
        }
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
