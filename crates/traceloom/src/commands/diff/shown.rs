//! The input for all outputs of `traceloom diff`.

use traceloom_analyze::{Diff, DiffRow, Measure};

use super::args::DiffArgs;

/// Everything that the output needs.
pub(super) struct Shown<'a> {
    pub args: &'a DiffArgs,
    pub diff: &'a Diff,
    pub clock: Measure,
    /// The rows to print.
    pub rows: Vec<&'a DiffRow>,
    /// Rows that changed but exceed the limit.
    pub more: usize,
}
