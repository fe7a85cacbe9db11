//! Numbers of many frames.

use super::Frame;

/// How long frames took, and how many came late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameStats {
    /// How many.
    pub frames: usize,
    /// How many came late.
    pub janky: usize,
    /// Ticks that passed without a new picture, all frames together.
    pub missed: u64,
    /// Half of the frames took no longer, ns.
    pub p50_ns: i64,
    /// Nine of ten took no longer, ns.
    pub p90_ns: i64,
    /// Ninety-nine of a hundred took no longer, ns.
    pub p99_ns: i64,
    /// The longest, ns.
    pub worst_ns: i64,
}

impl FrameStats {
    /// Of these frames. Percentiles are times that one of them took (nearest rank).
    pub fn of<'a>(frames: impl Iterator<Item = &'a Frame>) -> Self {
        let (mut stats, mut times) = (Self::default(), Vec::new());
        for frame in frames {
            times.push(frame.dur_ns());
            stats.janky += usize::from(frame.is_janky());
            stats.missed += u64::from(frame.missed);
        }
        times.sort_unstable();
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or(0)
        };
        stats.frames = times.len();
        stats.p50_ns = at(50);
        stats.p90_ns = at(90);
        stats.p99_ns = at(99);
        stats.worst_ns = at(100);
        stats
    }
}
