//! Describes an operator.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rusqlite::types::ValueRef;

use super::failure::Failure;
use super::meter::Meter;
use super::rows::Cell;

/// A result: the cells of all rows, row by row.
pub(crate) type Cells = Vec<Cell>;

/// The function that computes the result. It gets as many arguments as the call has.
pub(crate) type Run =
    Arc<dyn Fn(&[ValueRef<'_>], &mut Meter) -> Result<Cells, Failure> + Send + Sync>;

/// Finds the rows for a name.
pub(crate) type Find = Arc<dyn Fn(&str) -> Result<Cells, Failure> + Send + Sync>;

/// The default for the expected number of rows.
pub(crate) const EXPECTED: i64 = 1000;

/// An operator.
pub(crate) struct Operator {
    pub name: Cow<'static, str>,
    /// The names of the columns of the result.
    pub columns: Vec<Cow<'static, str>>,
    /// The expected number of rows.
    pub rows: i64,
    /// The minimum number of arguments.
    pub least: usize,
    /// The maximum number of arguments.
    pub most: usize,
    pub run: Run,
    /// The rows of `WHERE __intrinsic_flamegraph_find(first column, name)`, which replace the result.
    pub find: Option<Find>,
}

impl Operator {
    /// An operator that every session has. It takes `least` to `most` arguments.
    pub fn built_in(
        name: &'static str,
        columns: &[&'static str],
        (least, most): (usize, usize),
        run: impl Fn(&[ValueRef<'_>], &mut Meter) -> Result<Cells, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            columns: columns.iter().map(|name| (*name).into()).collect(),
            rows: EXPECTED,
            least,
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
