//! The columns that a reader supports, and their allowed values.

use traceloom_trace::Trace;

/// A known column.
pub(crate) struct Known {
    pub name: &'static str,
    /// Default value for rows written by a version without this column.
    pub missing: i64,
    pub rule: Rule,
}

/// The allowed values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// All values of its type.
    Any,
    /// Times that never decrease.
    Sorted,
    /// Durations, or -1.
    Length,
    /// The nesting depth of a slice.
    Depth,
    /// A CPU number, or -1.
    Cpu,
    /// An existing row.
    Id(Rows),
    /// An existing row, or -1.
    MaybeId(Rows),
    /// An existing row of the same table, or -1. No row is its own ancestor.
    Parent(Rows),
}

/// The table that an id refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    Strings,
    Sources,
    Processes,
    Threads,
    Tracks,
    Methods,
    Slices,
    ArgSets,
    Cells,
}

impl Rows {
    /// The number of rows.
    pub fn of(self, trace: &Trace) -> usize {
        match self {
            Self::Strings => trace.strings.len(),
            Self::Sources => trace.sources.len(),
            Self::Processes => trace.processes.len(),
            Self::Threads => trace.threads.len(),
            Self::Tracks => trace.tracks.len(),
            Self::Methods => trace.methods.len(),
            Self::Slices => trace.slices.len(),
            Self::ArgSets => trace.args.len(),
            Self::Cells => trace.records.all_cells().len(),
        }
    }
}
