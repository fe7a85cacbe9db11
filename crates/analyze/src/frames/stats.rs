//! Statistics of frames.

use super::Frame;
use crate::percentile;

/// How long frames took, and how many were janky.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameStats {
    /// The number of frames.
    pub frames: usize,
    /// The number of janky frames.
    pub janky: usize,
    /// The number of vsyncs that all frames missed.
    pub missed: u64,
    /// The median duration, ns.
    pub p50_ns: i64,
    /// The 90th percentile, ns.
    pub p90_ns: i64,
    /// The 99th percentile, ns.
    pub p99_ns: i64,
    /// The longest duration, ns.
    pub worst_ns: i64,
}

impl FrameStats {
    /// Computes the statistics of some frames. Percentiles are by nearest rank.
    pub fn new<'a>(frames: impl Iterator<Item = &'a Frame>) -> Self {
        let (mut stats, mut times) = (Self::default(), Vec::new());
        for frame in frames {
            times.push(frame.dur_ns());
            stats.janky += usize::from(frame.is_janky());
            stats.missed += u64::from(frame.missed);
        }
        times.sort_unstable();
        let at = |percent| percentile::at(&times, percent);
        stats.frames = times.len();
        stats.p50_ns = at(50);
        stats.p90_ns = at(90);
        stats.p99_ns = at(99);
        stats.worst_ns = at(100);
        stats
    }
}
