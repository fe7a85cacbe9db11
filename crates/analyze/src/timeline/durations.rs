//! Cached slice durations by name.

use super::stats::Sums;

/// The slices of all threads by name: their sums, and the durations of those that ended, in order.
#[derive(Debug)]
pub(super) struct DurationCache {
    pub sums: Sums,
    /// The index in `lengths` at which each name starts, and the end of the last one.
    pub starts: Vec<usize>,
    /// Durations, ns.
    pub lengths: Vec<i64>,
}
