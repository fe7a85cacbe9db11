//! Counts problems under the names of Perfetto's statistics.

use std::collections::BTreeMap;

use traceloom_trace::TraceBuilder;

/// The numbers of problems, by statistic.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(BTreeMap<&'static str, i64>);

impl Tally {
    /// Counts a problem.
    pub fn count(&mut self, name: &'static str) {
        *self.0.entry(name).or_default() += 1;
    }

    /// Writes the rows of `stats`.
    pub fn write(&self, out: &mut TraceBuilder) {
        for (name, count) in &self.0 {
            out.stat(name, None, 0, *count);
        }
    }
}
