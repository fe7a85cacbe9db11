//! Times added up by number, the most first.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::SmallSort;

/// One table for all kinds of numbers, as each kind of table is machine code of its own in every
/// report.
#[derive(Default)]
pub(super) struct Tally {
    sums: FxHashMap<u64, Tallied>,
}

/// What was added up for a number.
#[derive(Clone, Copy, Default)]
pub(super) struct Tallied {
    pub number: u64,
    pub count: u64,
    pub ns: i64,
}

impl Tally {
    pub(super) fn add(&mut self, number: u64, ns: i64) {
        let sum = self.sums.entry(number).or_default();
        *sum = Tallied {
            number,
            count: sum.count + 1,
            ns: sum.ns.saturating_add(ns),
        };
    }

    /// The sums, the most time first, equal ones by number.
    pub(super) fn sorted(self) -> Vec<Tallied> {
        let mut sums: Vec<Tallied> = self.sums.into_values().collect();
        sums.small_sort_by_key(|sum| (Reverse(sum.ns), sum.number));
        sums
    }
}
