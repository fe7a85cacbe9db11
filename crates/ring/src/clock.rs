//! From the clock of the records to `CLOCK_BOOTTIME`.

use crate::bytes::{put_u64, u64_at};
use crate::header::{ClockSource, FileHeader};

/// What several clocks showed at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SyncPoint {
    /// The clock of the records.
    pub ticks: u64,
    /// `CLOCK_BOOTTIME`, ns.
    pub boot_ns: u64,
    /// `CLOCK_MONOTONIC`, ns.
    pub mono_ns: u64,
    /// `CLOCK_REALTIME`, ns since 1970.
    pub real_ns: u64,
}

impl SyncPoint {
    pub(crate) fn read(bytes: &[u8], at: usize) -> Self {
        let [ticks, boot_ns, mono_ns, real_ns] =
            [0, 8, 16, 24].map(|field| u64_at(bytes, at + field));
        Self {
            ticks,
            boot_ns,
            mono_ns,
            real_ns,
        }
    }

    pub(crate) fn put(&self, bytes: &mut [u8], at: usize) {
        put_u64(bytes, at, self.ticks);
        put_u64(bytes, at + 8, self.boot_ns);
        put_u64(bytes, at + 16, self.mono_ns);
        put_u64(bytes, at + 24, self.real_ns);
    }
}

/// A moment on both clocks.
#[derive(Clone, Copy, Debug)]
struct Node {
    ticks: u64,
    ns: i64,
}

/// Turns ticks of the records' clock into ns.
///
/// ```text
///  ns │                 ╱       nodes are moments at which both clocks were read closely together;
///     │            ____●        between them the line is straight, so the counter's rate need not be
///     │      ___●──             known well, and stays right where the system's clock is slewed
///     │  ●──
///     └──────────────────── ticks
/// ```
/// Later ticks never give earlier ns.
#[derive(Clone, Debug)]
pub struct ClockMap {
    /// `None` where ticks are ns already.
    nodes: Option<Vec<Node>>,
    ns_per_tick: f64,
}

/// No time: 146 years. Sums of two still fit.
const LAST_NS: i64 = 1 << 62;

/// How far nodes are apart at least, seconds, but for the last.
const NODE_GAP: f64 = 0.25;

/// The least distance from which a rate can be told, seconds.
const LEAST_GAP: f64 = 0.001;

/// Two clocks that were read further apart than this were interrupted in between, seconds.
const WIDEST: f64 = 5e-6;

impl ClockMap {
    /// The map of a recording whose chunks noted `(ticks, ns, ticks in between)`.
    pub fn new(header: &FileHeader, chunks: impl Iterator<Item = (u64, u64, u32)>) -> Self {
        let ticks_per_second = header.ticks_per_second.max(1) as f64;
        let ns_per_tick = 1e9 / ticks_per_second;
        if header.clock != ClockSource::Counter {
            return Self {
                nodes: None,
                ns_per_tick: 1.0,
            };
        }
        let close = |width: u32| f64::from(width) < WIDEST * ticks_per_second;
        let chunks = chunks.filter(|(_, ns, width)| *ns != 0 && close(*width));
        let ends = [header.start, header.end].into_iter();
        let ends = ends.filter(|point| point.boot_ns != 0);
        let mut points: Vec<Node> = ends
            .map(|point| (point.ticks, point.boot_ns))
            .chain(chunks.map(|(ticks, ns, _)| (ticks, ns)))
            .map(|(ticks, ns)| Node {
                ticks,
                ns: ns.min(LAST_NS as u64) as i64,
            })
            .collect();
        points.sort_unstable_by_key(|node| (node.ticks, node.ns));
        Self {
            nodes: Some(chosen(&points, ns_per_tick)),
            ns_per_tick,
        }
    }

    /// The time, ns.
    #[inline]
    pub fn ns(&self, ticks: u64) -> i64 {
        match &self.nodes {
            None => ticks.min(LAST_NS as u64) as i64,
            Some(nodes) => self.interpolated(nodes, ticks),
        }
    }

    fn interpolated(&self, nodes: &[Node], ticks: u64) -> i64 {
        let after = nodes.partition_point(|node| node.ticks <= ticks);
        let (from, to) = match (after.checked_sub(1), nodes.get(after)) {
            (Some(before), Some(_)) => (before, after),
            // Beyond the ends the line goes on as it was.
            (Some(last), None) => (last.saturating_sub(1), last),
            (None, _) => (0, 1),
        };
        let Some(first) = nodes.get(from) else {
            return scaled(ticks as f64, self.ns_per_tick, 0);
        };
        let rate = match nodes.get(to) {
            Some(second) if second.ticks > first.ticks => {
                (second.ns - first.ns) as f64 / (second.ticks - first.ticks) as f64
            }
            _ => self.ns_per_tick,
        };
        let base = if after > to { to } else { from };
        let base = nodes.get(base).unwrap_or(first);
        let since = (i128::from(ticks) - i128::from(base.ticks)) as f64;
        scaled(since, rate, base.ns)
    }
}

fn scaled(ticks: f64, rate: f64, offset: i64) -> i64 {
    // A float's conversion to a whole number saturates.
    let ns = (ticks * rate) as i64;
    ns.saturating_add(offset).clamp(0, LAST_NS)
}

/// Enough points, far enough apart that the moment between two readings does not tell in the rate.
fn chosen(points: &[Node], ns_per_tick: f64) -> Vec<Node> {
    let seconds = |from: Node, to: Node| (to.ticks - from.ticks) as f64 * ns_per_tick / 1e9;
    let mut nodes: Vec<Node> = Vec::new();
    for (index, &point) in points.iter().enumerate() {
        let Some(&last) = nodes.last() else {
            nodes.push(point);
            continue;
        };
        let is_last = index + 1 == points.len();
        let gap = if is_last { LEAST_GAP } else { NODE_GAP };
        if point.ns > last.ns && seconds(last, point) >= gap {
            nodes.push(point);
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(start: (u64, u64), end: (u64, u64)) -> FileHeader {
        let point = |(ticks, boot_ns)| SyncPoint {
            ticks,
            boot_ns,
            ..SyncPoint::default()
        };
        FileHeader {
            clock: ClockSource::Counter,
            ticks_per_second: 2_000_000_000,
            start: point(start),
            end: point(end),
            ..FileHeader::default()
        }
    }

    #[test]
    fn the_line_goes_through_the_nodes() {
        // The counter is said to be twice as fast as ns, but is 1 % faster than that.
        let header = header((2_000, 1_000_000), (2_020_002_000, 1_001_000_000));
        let map = ClockMap::new(&header, std::iter::empty());
        assert_eq!(map.ns(2_000), 1_000_000);
        assert_eq!(map.ns(2_020_002_000), 1_001_000_000);
        assert_eq!(map.ns(1_010_002_000), 501_000_000);
        assert_eq!(map.ns(2_020_002_000 + 2_020_000), 1_002_000_000);
        assert_eq!(map.ns(0), 1_000_000 - 990);
    }

    #[test]
    fn one_point_goes_by_the_rate_and_wide_ones_do_not_count() {
        let header = header((2_000, 1_000_000), (0, 0));
        let wide = [(4_000_002_000, 9_000_000_000, 1_000_000)];
        let map = ClockMap::new(&header, wide.into_iter());
        assert_eq!(map.ns(2_002_000), 2_000_000);
    }

    #[test]
    fn time_never_goes_back() {
        let header = header((2_000, 1_000_000), (9_000_000_000, 4_500_000_000));
        let chunks = (0..40u64).map(|n| {
            (
                n * 225_000_000,
                1_000_000 + n * 112_400_000 + n % 3 * 900,
                40,
            )
        });
        let map = ClockMap::new(&header, chunks);
        let mut last = 0;
        for step in 0..100_000u64 {
            let ns = map.ns(step * 100_000);
            assert!(ns >= last, "at {step}");
            last = ns;
        }
    }
}
