//! The columns that a reader knows, and the values each may hold.

use traceloom_trace::Trace;

/// A column that a reader knows.
pub(crate) struct Known {
    pub name: &'static str,
    /// What stands in every row if a program that did not know the column wrote the table.
    pub missing: i64,
    pub rule: Rule,
}

/// What the numbers of a column may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// All that its type has.
    Any,
    /// Times that never step back.
    Sorted,
    /// Lengths, or -1.
    Length,
    /// How many slices are around one.
    Depth,
    /// A CPU, or -1.
    Cpu,
    /// A row that is there.
    Id(Rows),
    /// Such, or -1.
    MaybeId(Rows),
    /// Such, of the own table, and nobody is above itself.
    Parent(Rows),
}

/// Whose rows ids name.
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
}

impl Rows {
    /// How many there are.
    pub fn of(self, trace: &Trace) -> usize {
        match self {
            Self::Strings => trace.strings.len(),
            Self::Sources => trace.sources.len(),
            Self::Processes => trace.processes.len(),
            Self::Threads => trace.threads.len(),
            Self::Tracks => trace.tracks.len(),
            Self::Methods => trace.methods.len(),
            Self::Slices => trace.slices.len(),
            Self::ArgSets => trace.args.sets(),
        }
    }
}
