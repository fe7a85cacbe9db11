//! Statistics of the slices of one name.

use super::names::NameId;

/// Statistics of the slices of one name.
///
/// The count covers all slices; minimum, median, 95th percentile and maximum cover those that ended. The total counts
/// recursive time once, as a [`Profile`](crate::Profile) does. Percentiles are by nearest rank: the smallest duration
/// that this share of the slices does not exceed.
///
/// A slice that never ended, other than a method call, adds the time of the finished slices inside it to the total.
/// The rest of its time is unfinished time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameStats {
    /// The name.
    pub name: NameId,
    /// The number of slices.
    pub count: u64,
    /// Their inclusive time, ns.
    pub total_ns: i64,
    /// Their exclusive time: without the slices inside them, ns.
    pub self_ns: i64,
    /// Of slices that never ended: the time beyond the finished slices inside them, ns. It counts
    /// recursive time once.
    pub unfinished_ns: i64,
    /// The number of slices that never ended.
    pub unfinished: u64,
    /// The shortest duration, ns; 0 if no slice ended, as for the following.
    pub min_ns: i64,
    /// The median duration, ns.
    pub median_ns: i64,
    /// The 95th percentile, ns.
    pub p95_ns: i64,
    /// The longest duration, ns.
    pub max_ns: i64,
}

/// The running sums of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub count: u64,
    // 128 bits, so that the order of additions does not matter.
    pub total: i128,
    pub own: i128,
    pub unfinished: i128,
    /// The number of slices that never ended.
    pub open: u64,
    pub min: i64,
    pub max: i64,
}

impl Sum {
    pub const ZERO: Self = Self {
        count: 0,
        total: 0,
        own: 0,
        unfinished: 0,
        open: 0,
        min: i64::MAX,
        max: i64::MIN,
    };

    /// The number of slices that ended, whose durations are known.
    #[inline]
    pub fn ended(&self) -> usize {
        (self.count - self.open) as usize
    }

    /// Adds a slice that ended.
    #[inline]
    pub fn add(&mut self, part: i64, recursive: bool) {
        self.count += 1;
        self.own += i128::from(part);
        if !recursive {
            self.total += i128::from(part);
        }
        self.min = self.min.min(part);
        self.max = self.max.max(part);
    }

    /// Removes a slice that ended; the shortest and the longest duration stay.
    pub fn remove(&mut self, part: i64, recursive: bool) {
        self.count -= 1;
        self.own -= i128::from(part);
        if !recursive {
            self.total -= i128::from(part);
        }
    }

    pub fn stats(&self, name: NameId, [median_ns, p95_ns]: [i64; 2]) -> NameStats {
        NameStats {
            name,
            count: self.count,
            total_ns: narrow(self.total),
            self_ns: narrow(self.own.max(0)),
            unfinished_ns: narrow(self.unfinished.max(0)),
            unfinished: self.open,
            min_ns: if self.ended() > 0 { self.min } else { 0 },
            median_ns,
            p95_ns,
            max_ns: if self.ended() > 0 { self.max } else { 0 },
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.own += other.own;
        self.unfinished += other.unfinished;
        self.open += other.open;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// The running sums of all names.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub names: Vec<Sum>,
    /// The sums of each slice that never ended.
    pub open: Vec<OpenSum>,
}

/// The times of a slice that never ended, ns.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct OpenSum {
    /// Its whole time in the range.
    pub span: i128,
    /// The time of the finished slices directly inside it.
    pub inside: i128,
}

impl Sums {
    pub fn new(names: usize, open: usize) -> Self {
        Self {
            names: vec![Sum::ZERO; names],
            open: vec![OpenSum::default(); open],
        }
    }

    pub fn merge(&mut self, other: &Self) {
        let names = self.names.iter_mut().zip(&other.names);
        names.for_each(|(sum, other)| sum.merge(other));
        for (sum, other) in self.open.iter_mut().zip(&other.open) {
            sum.span += other.span;
            sum.inside += other.inside;
        }
    }
}

fn narrow(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
