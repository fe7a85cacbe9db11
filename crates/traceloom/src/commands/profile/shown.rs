//! The input for all outputs of `traceloom profile`.

use traceloom_analyze::{CallTree, CpuSource, OverheadReport, Profile};

use super::args::{ProfileArgs, Sort};
use crate::print::most_bytes;

/// Default of `--limit`, rows.
const USUAL_LIMIT: usize = 30;

/// Everything that the output needs.
pub(super) struct Shown<'a> {
    pub args: &'a ProfileArgs,
    pub tree: &'a CallTree,
    pub profile: &'a Profile,
    pub overhead: Option<OverheadReport>,
}

impl Shown<'_> {
    /// The maximum number of rows.
    pub fn limit(&self) -> usize {
        self.args.data.most_rows(self.args.limit, USUAL_LIMIT)
    }

    /// The maximum number of bytes to print. There is no limit if the size of the input is unknown.
    pub fn most_bytes(&self) -> u64 {
        let input = std::fs::metadata(&self.args.file).map(|file| file.len());
        most_bytes(input.unwrap_or(u64::MAX), self.args.all)
    }

    /// The order of rows. Samples have the same order as in `perf report` and `simpleperf report`.
    /// By inclusive samples, the functions that start a thread would come first, because almost
    /// every stack has them.
    pub fn sort(&self) -> Sort {
        let usual = if self.counts_samples() {
            Sort::Exclusive
        } else {
            Sort::Inclusive
        };
        self.args.sort.unwrap_or(usual)
    }

    /// Whether the numbers are samples instead of times.
    pub fn counts_samples(&self) -> bool {
        self.tree.counts_samples()
    }

    pub fn has_methods(&self) -> bool {
        self.tree.has_methods()
    }

    /// Whether CPU times come from thread clocks instead of scheduling events.
    pub fn has_thread_clock(&self) -> bool {
        self.tree.clocks.cpu != CpuSource::Scheduler
    }
}
