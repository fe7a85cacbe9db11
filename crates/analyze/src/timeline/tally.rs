//! Sums of times by number.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

/// One table type for all kinds of numbers, because each type would add machine code to every
/// report.
#[derive(Default)]
pub(super) struct Tally {
    places: FxHashMap<u64, u32>,
    sums: Vec<Tallied>,
}

/// The sum of one number.
#[derive(Clone, Copy)]
pub(super) struct Tallied {
    pub number: u64,
    pub count: u64,
    pub ns: i64,
}

impl Tally {
    pub(super) fn add(&mut self, number: u64, ns: i64) {
        let new = self.sums.len() as u32;
        let place = *self.places.entry(number).or_insert(new);
        if place == new {
            self.sums.push(Tallied {
                number,
                count: 0,
                ns: 0,
            });
        }
        let sum = &mut self.sums[place as usize];
        sum.count += 1;
        sum.ns = sum.ns.saturating_add(ns);
    }

    /// The sums, the longest time first; ties are ordered by number.
    pub(super) fn sorted(mut self) -> Vec<Tallied> {
        sort::by_key(&mut self.sums, |sum| (Reverse(sum.ns), sum.number));
        self.sums
    }
}
