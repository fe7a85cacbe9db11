//! The command line of `cargo xtask bench`.

/// The selected measurements and their thoroughness.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A tenth of the data and fewer repetitions: a smoke test, not a measurement.
    pub quick: bool,
    /// Writes the tables to docs/performance.md.
    pub write: bool,
    /// Index of the only section to run, in `SECTIONS`; all if none.
    pub only: Option<usize>,
}

impl Options {
    /// The number of runs for a median.
    pub fn repeats(self) -> usize {
        if self.quick { 3 } else { 7 }
    }

    /// The size of the data, given its `full` number of records or bytes.
    pub fn size(self, full: usize) -> usize {
        if self.quick { full / 10 } else { full }
    }
}
