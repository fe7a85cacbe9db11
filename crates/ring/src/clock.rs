//! Conversion from the clock of the records to `CLOCK_BOOTTIME`.

use crate::header::{ClockSource, FileHeader};

/// A moment on both clocks.
#[derive(Clone, Copy, Debug)]
struct Node {
    ticks: u64,
    ns: i64,
}

/// Converts ticks of the recording's clock to nanoseconds.
///
/// ```text
///  ns │                 ╱       Nodes are moments at which both clocks were read in quick succession.
///     │            ____●        Between nodes the line is straight. So the counter's rate need not be
///     │      ___●──             known precisely, and slewing of the system clock does no harm.
///     │  ●──
///     └──────────────────── ticks
/// ```
/// The map is monotonic: later ticks never give earlier times.
#[derive(Clone, Debug)]
pub struct ClockMap {
    /// `None` if ticks are nanoseconds already.
    nodes: Option<Vec<Node>>,
    ns_per_tick: f64,
}

/// Upper limit of all times, 146 years. The sum of two such times still fits.
const LAST_NS: i64 = 1 << 62;

/// Minimum distance between nodes, seconds; the last node may be closer.
const NODE_GAP: f64 = 0.25;

/// Minimum distance that gives a usable rate, seconds.
const LAST_NODE_GAP: f64 = 0.001;

/// If reading the two clocks took longer than this, the thread was interrupted in between; seconds.
const MAX_SYNC_WIDTH: f64 = 5e-6;

impl ClockMap {
    /// The map of a recording, given the sync points of its chunks: `(ticks, ns, width in ticks)`.
    pub(crate) fn new(header: &FileHeader, chunks: impl Iterator<Item = (u64, u64, u32)>) -> Self {
        let ticks_per_second = header.ticks_per_second.max(1) as f64;
        let ns_per_tick = 1e9 / ticks_per_second;
        if header.clock != ClockSource::Counter {
            return Self {
                nodes: None,
                ns_per_tick: 1.0,
            };
        }
        let close = |width: u32| f64::from(width) < MAX_SYNC_WIDTH * ticks_per_second;
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
            nodes: Some(spaced_nodes(&points, ns_per_tick)),
            ns_per_tick,
        }
    }

    /// The time at `ticks`, ns.
    pub fn ns(&self, ticks: u64) -> i64 {
        self.line(ticks).ns(ticks)
    }

    /// The segment that contains `ticks`. Callers reuse it for nearby times to save the search.
    pub(crate) fn line(&self, ticks: u64) -> Line {
        match &self.nodes {
            None => Line::IDENTITY,
            Some(nodes) => self.line_between(nodes, ticks),
        }
    }

    fn line_between(&self, nodes: &[Node], ticks: u64) -> Line {
        let after = nodes.partition_point(|node| node.ticks <= ticks);
        let begins = after.checked_sub(1).and_then(|before| nodes.get(before));
        let ends = nodes.get(after);
        // Beyond the ends, the nearest segment is extended.
        let (first, second) = match (begins, ends) {
            (Some(_), Some(_)) => (begins, ends),
            (Some(last), None) => (
                after.checked_sub(2).and_then(|at| nodes.get(at)),
                Some(last),
            ),
            (None, _) => (ends, nodes.get(1)),
        };
        let rate = match (first, second) {
            (Some(first), Some(second)) => {
                (second.ns - first.ns) as f64 / (second.ticks - first.ticks) as f64
            }
            _ => self.ns_per_tick,
        };
        let base = begins.or(ends).copied().unwrap_or(Node { ticks: 0, ns: 0 });
        Line {
            from: begins.map_or(0, |node| node.ticks),
            to: ends.map_or(u64::MAX, |node| node.ticks),
            base,
            rate: Some(rate),
        }
    }
}

/// A segment of the map, with a constant rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    from: u64,
    to: u64,
    base: Node,
    /// `None` if ticks are nanoseconds.
    rate: Option<f64>,
}

impl Line {
    const IDENTITY: Self = Self {
        from: 0,
        to: u64::MAX,
        base: Node { ticks: 0, ns: 0 },
        rate: None,
    };

    #[inline]
    pub fn contains(&self, ticks: u64) -> bool {
        self.from <= ticks && ticks < self.to
    }

    #[inline]
    pub fn ns(&self, ticks: u64) -> i64 {
        let Some(rate) = self.rate else {
            return ticks.min(LAST_NS as u64) as i64;
        };
        let since = if ticks >= self.base.ticks {
            (ticks - self.base.ticks) as f64
        } else {
            -((self.base.ticks - ticks) as f64)
        };
        // Float to integer conversion saturates.
        let ns = (since * rate) as i64;
        ns.saturating_add(self.base.ns).clamp(0, LAST_NS)
    }
}

/// Points far enough apart that the time between the readings of the two clocks does not distort the rate.
fn spaced_nodes(points: &[Node], ns_per_tick: f64) -> Vec<Node> {
    let seconds = |from: Node, to: Node| (to.ticks - from.ticks) as f64 * ns_per_tick / 1e9;
    let mut nodes: Vec<Node> = Vec::new();
    for (index, &point) in points.iter().enumerate() {
        let Some(&last) = nodes.last() else {
            nodes.push(point);
            continue;
        };
        let is_last = index + 1 == points.len();
        let gap = if is_last { LAST_NODE_GAP } else { NODE_GAP };
        if point.ns > last.ns && seconds(last, point) >= gap {
            nodes.push(point);
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::SyncPoint;

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
        // The header says two ticks per ns; the counter is 1 % faster than that.
        let header = header((2_000, 1_000_000), (2_020_002_000, 1_001_000_000));
        let map = ClockMap::new(&header, std::iter::empty());
        assert_eq!(map.ns(2_000), 1_000_000);
        assert_eq!(map.ns(2_020_002_000), 1_001_000_000);
        assert_eq!(map.ns(1_010_002_000), 501_000_000);
        assert_eq!(map.ns(2_020_002_000 + 2_020_000), 1_002_000_000);
        assert_eq!(map.ns(0), 1_000_000 - 990);
    }

    #[test]
    fn a_single_point_uses_the_measured_rate_and_wide_points_are_ignored() {
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
