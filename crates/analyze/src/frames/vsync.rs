//! Finds the refresh rate of the display.

use traceloom_trace::{RowId, SliceId, StringId, Trace, TrackId};

/// Common refresh rates, Hz.
const RATES: [f64; 12] = [
    60.0, 90.0, 120.0, 144.0, 50.0, 48.0, 72.0, 75.0, 96.0, 100.0, 165.0, 240.0,
];

/// Counters that change at each vsync, in order of preference.
const COUNTERS: [&str; 6] = [
    "VSYNC-app",
    "VSYNC-sf",
    "VSYNC-appSf",
    "HW_VSYNC_0",
    "VSYNC",
    "VSYNC-appsf",
];

/// Plausible periods, ns: 25 to 250 Hz.
const PERIODS: std::ops::RangeInclusive<i64> = 4_000_000..=40_000_000;

/// How the period was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VsyncSource {
    /// From the counter of this name, which changes at each vsync.
    Counter(StringId),
    /// From the starts of slices of this name, which Flutter writes at each vsync.
    Slices(StringId),
    /// From the distances between frames: the common rate that fits best.
    FrameDistance,
    /// Not found; 60 Hz is assumed.
    #[default]
    Assumed,
}

/// The vsyncs of the display.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vsync {
    /// The time between two vsyncs, ns.
    pub period_ns: i64,
    /// How the period was found.
    pub source: VsyncSource,
    /// The vsyncs of apps, in order, ns. Empty without a counter for them.
    pub ticks: Vec<i64>,
}

impl Vsync {
    /// Finds the vsyncs of a trace. `starts` has the start times of the frames of each thread, in order; `marked` the
    /// slices that mark vsyncs.
    pub(super) fn find(trace: &Trace, starts: &[Vec<i64>], marked: &[SliceId]) -> Self {
        let counters = COUNTERS.iter().filter_map(|name| counter(trace, name));
        let mut ticks = Vec::new();
        let mut found = None;
        for (name, times) in counters {
            if found.is_none() {
                found = period(&times).map(|period_ns| (period_ns, VsyncSource::Counter(name)));
            }
            if ticks.is_empty() && trace.strings.get(name) == COUNTERS[0] {
                ticks = times;
            }
        }
        if found.is_none()
            && let Some(first) = marked.first()
        {
            let starts = marked.iter().map(|slice| trace.slices.ts.get(slice.row()));
            let mut times: Vec<i64> = starts.collect();
            times.sort_unstable();
            let source = VsyncSource::Slices(trace.slices.name.get(first.row()));
            found = period(&times).map(|period_ns| (period_ns, source));
            ticks = times;
        }
        let by_distance = || Some((frame_period(starts)?, VsyncSource::FrameDistance));
        let assumed = (1_000_000_000 / 60, VsyncSource::Assumed);
        let (period_ns, source) = found.or_else(by_distance).unwrap_or(assumed);
        Self {
            period_ns,
            source,
            ticks,
        }
    }

    /// The vsync that a frame starting at `ts` responds to: the last one before it if less than a period ago, else `ts`.
    pub(super) fn tick_of(&self, ts: i64) -> i64 {
        let after = self.ticks.partition_point(|tick| *tick <= ts);
        match after.checked_sub(1).map(|at| self.ticks[at]) {
            Some(tick) if ts - tick < self.period_ns => tick,
            _ => ts,
        }
    }
}

/// The times at which the first counter of this name changed its value.
fn counter(trace: &Trace, name: &str) -> Option<(StringId, Vec<i64>)> {
    let id = trace.strings.lookup(name)?;
    let tracks = 0..trace.tracks.len();
    let mut tracks = tracks
        .filter(|&row| trace.tracks.kind.get(row).is_counter() && trace.tracks.name.get(row) == id);
    let track = TrackId::from_row(tracks.next()?);
    let values = trace.counters.rows().filter(|row| row.track_id == track);
    let mut last = None;
    let changes = values.filter(|row| last.replace(row.value) != Some(row.value));
    Some((id, changes.map(|row| row.ts).collect()))
}

/// The usual time between vsyncs, ns. Vsyncs that no app requested are missing, so a distance may be several periods.
/// One period is the shortest distance that is common.
fn period(ticks: &[i64]) -> Option<i64> {
    let mut distances = distances(ticks);
    distances.sort_unstable();
    let short = shortest_common(&distances)?;
    let singles = distances.iter().copied();
    let singles: Vec<i64> = singles
        .filter(|ns| (short..short * 3 / 2).contains(ns))
        .collect();
    let median = singles[singles.len() / 2];
    Some(rate_near(median, 1, 0.03).unwrap_or(median))
}

/// The shortest of the sorted distances that a tenth of them, and at least two, are close to. A single early vsync is not
/// common. If no distance is, the shortest one.
fn shortest_common(distances: &[i64]) -> Option<i64> {
    let enough = (distances.len() / 10).max(2);
    let is_common = |(at, ns): &(usize, &i64)| {
        let close = distances.partition_point(|other| *other <= **ns * 11 / 10);
        close - at >= enough
    };
    let mut all = distances.iter().enumerate();
    let common = all.find(is_common).map(|(_, ns)| *ns);
    common.or(distances.first().copied())
}

fn distances(times: &[i64]) -> Vec<i64> {
    let pairs = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    pairs.filter(|ns| PERIODS.contains(ns)).collect()
}

/// The period, if the median time between frames is one or two common periods.
fn frame_period(starts: &[Vec<i64>]) -> Option<i64> {
    let mut all: Vec<i64> = starts.iter().flat_map(|one| distances(one)).collect();
    all.sort_unstable();
    let median = *all.get(all.len() / 2)?;
    (1..=2).find_map(|times| rate_near(median, times, 0.08))
}

/// The period of the common rate nearest to `distance_ns / times`, if within the tolerance.
fn rate_near(distance_ns: i64, times: i64, tolerance: f64) -> Option<i64> {
    let period = distance_ns as f64 / times as f64;
    let off = |rate: f64| (period * rate / 1e9 - 1.0).abs();
    let rates = RATES.into_iter().filter(|rate| off(*rate) <= tolerance);
    let best = rates.min_by(|one, other| off(*one).total_cmp(&off(*other)))?;
    Some((1e9 / best) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_snap_to_rates() {
        let ticks = |period: i64, skip: i64| -> Vec<i64> {
            let kept = (0..60).filter(|n| skip == 0 || n % skip != 1);
            kept.map(|n| n * period + n % 7 * 1_000).collect()
        };
        assert_eq!(period(&ticks(16_690_000, 0)), Some(16_666_666));
        assert_eq!(period(&ticks(8_300_000, 3)), Some(8_333_333));
        assert_eq!(period(&ticks(12_600_000, 0)), Some(12_601_000));
        assert_eq!(period(&[0, 200_000_000]), None);
        assert_eq!(period(&[0, 16_600_000]), Some(16_666_666));
        // One vsync is early.
        let mut early = ticks(16_690_000, 0);
        early.truncate(12);
        early[5] -= 6_000_000;
        assert_eq!(period(&early), Some(16_666_666));
        assert_eq!(frame_period(&[ticks(33_300_000, 0)]), Some(16_666_666));
        assert_eq!(frame_period(&[ticks(11_000_000, 0)]), Some(11_111_111));
        assert_eq!(frame_period(&[vec![5]]), None);
    }
}
