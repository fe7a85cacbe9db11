//! Statistics of the slices of one name.

use super::names::NameId;

/// Statistics of the slices of one name.
///
/// Count, minimum, median, 95th percentile and maximum cover all slices. The total counts recursive time once, as a
/// [`Profile`](crate::Profile) does. Percentiles are by nearest rank: the smallest duration that this share of the
/// slices does not exceed.
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
    /// The shortest duration, ns.
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
    // Wide, so that the order of adding does not matter.
    pub total: i128,
    pub own: i128,
    pub min: i64,
    pub max: i64,
}

impl Sum {
    pub const ZERO: Self = Self {
        count: 0,
        total: 0,
        own: 0,
        min: i64::MAX,
        max: i64::MIN,
    };

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

    pub fn stats(&self, name: NameId, [median_ns, p95_ns]: [i64; 2]) -> NameStats {
        NameStats {
            name,
            count: self.count,
            total_ns: narrow(self.total),
            self_ns: narrow(self.own.max(0)),
            min_ns: self.min,
            median_ns,
            p95_ns,
            max_ns: self.max,
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.own += other.own;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

fn narrow(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
