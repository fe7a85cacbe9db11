//! Cached slice durations by name.

use super::stats::Sum;

/// The slices of all threads by name: their sums, and their durations in order.
#[derive(Debug)]
pub(super) struct DurationCache {
    pub sums: Vec<Sum>,
    /// The index in `lengths` at which each name starts, and the end of the last one.
    pub starts: Vec<usize>,
    /// Durations, ns.
    pub lengths: Vec<i64>,
}
