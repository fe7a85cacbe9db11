//! A recording, as requested by the command line.

use super::options::Options;
use crate::{Catalog, Category, DatVersion, Properties, Tracefs};

/// A recording, as requested by the command line.
pub(super) struct Job<'a> {
    pub options: &'a Options,
    pub catalog: &'a Catalog,
    pub tree: &'a dyn Tracefs,
    pub properties: &'a dyn Properties,
    /// The categories of the command line.
    pub chosen: Vec<Category>,
    /// The version of the file that `--raw` writes.
    pub dat: DatVersion,
}

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Normally.
    Done,
    /// By a signal, or because the reader of the output went away.
    Aborted,
    /// It did not start. The reason was printed.
    NotStarted,
}
