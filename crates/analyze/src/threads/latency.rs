//! Wake-up latencies: the time from a wake-up until the thread gets a CPU.

use crate::percentile;

/// Statistics of the wake-up latencies of a thread. Percentiles are by nearest rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Latency {
    /// The number of wake-ups after which it got a CPU.
    pub wakeups: u64,
    /// The sum, ns.
    pub total_ns: i64,
    /// The median, ns.
    pub median_ns: i64,
    /// The 90th percentile, ns.
    pub p90_ns: i64,
    /// The 99th percentile, ns.
    pub p99_ns: i64,
    /// The longest, ns.
    pub worst_ns: i64,
    /// The time of the wake-up with the longest latency, ns; the first one if several are equal.
    pub worst_at_ns: i64,
}

impl Latency {
    /// Computes the statistics. `waits` are the time of each wake-up and its latency, in order of time.
    pub(super) fn new(waits: &[(i64, i64)]) -> Self {
        let mut sorted: Vec<i64> = waits.iter().map(|(_, ns)| *ns).collect();
        sorted.sort_unstable();
        let at = |percent| percentile::at(&sorted, percent);
        let worst_ns = at(100);
        let worst = waits.iter().find(|(_, ns)| *ns == worst_ns);
        Self {
            wakeups: waits.len() as u64,
            total_ns: sorted.iter().fold(0, |sum, ns| sum.saturating_add(*ns)),
            median_ns: at(50),
            p90_ns: at(90),
            p99_ns: at(99),
            worst_ns,
            worst_at_ns: worst.map_or(0, |(ts, _)| *ts),
        }
    }
}
