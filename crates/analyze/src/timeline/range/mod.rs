//! What slices there are in a stretch of time, by name.

mod durations;
mod one_name;
mod percentiles;

use std::cmp::Reverse;
use std::ops::Range;

use traceloom_trace::{CHUNK_ROWS, NO_DURATION, RowId, SliceId, Trace, TrackId, TrackKind};

use crate::parallel;
use crate::partition::partition_point;
use crate::timeline::downsample::Window;
use crate::timeline::names::NameId;
use crate::timeline::{Recursion, Timeline};
use crate::tree::TimeRange;

pub(super) use durations::DurationCache;
pub(super) use one_name::of_name;

/// Which slices to count.
#[derive(Clone, Copy, Default)]
pub struct RangeScope<'a> {
    /// Cut slices at the ends of this range; all time if there is none.
    pub range: Option<TimeRange>,
    /// The tracks that count, by their rows; all if there is none.
    pub tracks: Option<&'a [bool]>,
    /// Count slices of tracks that belong to no thread, too.
    pub all_tracks: bool,
}

/// The slices of one name.
///
/// Count, shortest, median, 95th percentile and longest are of all slices; total time counts
/// the time once in which a slice stands within one of its name, as a
/// [`Profile`](crate::Profile) does. Percentiles are by nearest rank: the smallest length that is
/// not exceeded by that share of the slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameStats {
    /// The name.
    pub name: NameId,
    /// How many slices.
    pub count: u64,
    /// Their time, ns.
    pub total_ns: i64,
    /// Their time without slices within them, ns.
    pub self_ns: i64,
    /// The shortest, ns.
    pub min_ns: i64,
    /// Half are no longer, ns.
    pub median_ns: i64,
    /// 95 of 100 are no longer, ns.
    pub p95_ns: i64,
    /// The longest, ns.
    pub max_ns: i64,
}

/// What is added up of a name.
#[derive(Clone, Copy, Debug)]
struct Sum {
    count: u64,
    // Wide, so that the order of adding does not matter.
    total: i128,
    own: i128,
    min: i64,
    max: i64,
}

impl Sum {
    const ZERO: Self = Self {
        count: 0,
        total: 0,
        own: 0,
        min: i64::MAX,
        max: i64::MIN,
    };

    #[inline]
    fn add(&mut self, part: i64, recursive: bool) {
        self.count += 1;
        self.own += i128::from(part);
        if !recursive {
            self.total += i128::from(part);
        }
        self.min = self.min.min(part);
        self.max = self.max.max(part);
    }

    fn stats(&self, name: NameId, [median_ns, p95_ns]: [i64; 2]) -> NameStats {
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

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.own += other.own;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// Slices whose part in the range is looked at: stretches of the table, each for a thread, or
/// lists of rows.
enum Source<'t> {
    Table(Vec<Range<usize>>),
    Lists(Vec<&'t [u32]>),
}

#[derive(Clone)]
struct Count<'t> {
    trace: &'t Trace,
    timeline: &'t Timeline,
    recursion: &'t Recursion,
    wanted: Vec<bool>,
    /// Whether all tracks count.
    all: bool,
    range: TimeRange,
}

/// The slices of a scope by name, the most time first; `None` once `cancelled` says so.
/// Percentiles are worked out for the first `limit` names alone; the others are left out, and their
/// number is returned.
pub(super) fn by_name(
    trace: &Trace,
    timeline: &Timeline,
    scope: &RangeScope<'_>,
    limit: usize,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<NameStats>, usize)> {
    let count = Count::new(trace, timeline, scope);
    if let Some(cached) = timeline.cached_durations(scope)
        && let Some(found) = cached.by_name(&count, limit)
    {
        return Some(found);
    }
    let source = count.source();
    let by_part = count.sums(&source, cancelled);
    let sums = merged(&by_part);
    let (order, hidden) = ranked(&sums, limit);
    let percentiles = count.percentiles(&source, &by_part, &order, cancelled);
    if cancelled() {
        return None;
    }
    let mut stats = Vec::with_capacity(order.len());
    for (name, percentiles) in order.into_iter().zip(percentiles) {
        stats.push(sums[name as usize].stats(NameId(name), percentiles));
    }
    Some((stats, hidden))
}

/// The names that occur, the most time first, and how many there are beyond `limit`.
fn ranked(sums: &[Sum], limit: usize) -> (Vec<u32>, usize) {
    let mut order = Vec::new();
    for (sum, name) in sums.iter().zip(0..) {
        if sum.count > 0 {
            order.push(name);
        }
    }
    order.sort_by_key(|&name: &u32| (Reverse(sums[name as usize].total), name));
    let hidden = order.len().saturating_sub(limit);
    order.truncate(limit);
    (order, hidden)
}

/// Rows, cut where chunks begin.
fn chunks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let chunks = rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS);
    chunks.map(move |chunk| {
        let all = chunk * CHUNK_ROWS..(chunk + 1) * CHUNK_ROWS;
        all.start.max(rows.start)..all.end.min(rows.end)
    })
}

fn narrow(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// All parts added up.
fn merged(parts: &[Vec<Sum>]) -> Vec<Sum> {
    let mut all = parts.first().cloned().unwrap_or_default();
    for part in parts.iter().skip(1) {
        let both = all.iter_mut().zip(part);
        both.for_each(|(sum, part)| sum.merge(part));
    }
    all
}

/// Rows between two looks at whether the answer is still wanted.
const STRIDE: usize = 1 << 16;

impl<'t> Count<'t> {
    fn new(trace: &'t Trace, timeline: &'t Timeline, scope: &RangeScope<'_>) -> Self {
        let mut wanted = Vec::new();
        for (kind, row) in trace.tracks.kind.iter().zip(0..) {
            let of_thread = matches!(kind, TrackKind::Thread | TrackKind::ThreadTrack);
            let is_in = |tracks: &[bool]| tracks.get(row) == Some(&true);
            wanted.push((scope.all_tracks || of_thread) && scope.tracks.is_none_or(is_in));
        }
        Self {
            trace,
            timeline,
            recursion: timeline.recursion(trace),
            all: !wanted.contains(&false),
            wanted,
            range: scope.range.unwrap_or(TimeRange::ALL),
        }
    }

    /// Going through the table in order is several times as fast for each slice as going through
    /// lanes, where neighbours lie apart; but lanes know what is in the range.
    fn source(&self) -> Source<'t> {
        const TABLE_IS_FASTER: usize = 6;
        let mut lists = Vec::new();
        let mut count = 0;
        let window = Window {
            from_ns: self.range.from_ns,
            to_ns: self.range.to_ns,
            px_ns: 1.0,
        };
        for track in (0..self.trace.tracks.len()).map(TrackId::from_row) {
            if !self.wanted[track.row()] {
                continue;
            }
            for level in 0..self.timeline.lanes.levels(track) {
                let lane = self.timeline.lane(self.trace, track, level);
                let from = window.next(&lane, 0, -1.0);
                let to = from + lane.count_before(self.range.to_ns, from);
                count += to - from;
                lists.push(&lane.ids()[from..to]);
            }
        }
        let rows = self.trace.slices.len();
        let is_before = |&row: &usize| self.trace.slices.ts.get(row) < self.range.to_ns;
        if count * TABLE_IS_FASTER > rows {
            Source::Table(parallel::split(
                partition_point(rows, is_before),
                self.most_parts(),
            ))
        } else {
            Source::Lists(lists)
        }
    }

    /// What is added up takes memory for each part.
    fn most_parts(&self) -> usize {
        const MANY_NAMES: usize = 1 << 17;
        if self.timeline.names.len() > MANY_NAMES {
            2
        } else {
            usize::MAX
        }
    }

    /// The length of a slice's part in the range, unless it has none or does not count.
    fn part(&self, row: usize) -> Option<i64> {
        let slices = &self.trace.slices;
        let counts = self.wanted[slices.track_id.get(row).row()];
        let part = || self.inside(row, slices.ts.get(row), slices.dur.get(row));
        counts.then(part).flatten()
    }

    #[inline]
    fn inside(&self, row: usize, begin: i64, dur: i64) -> Option<i64> {
        let end = match dur {
            NO_DURATION => self.timeline.end_of(self.trace, row),
            dur => begin.saturating_add(dur),
        };
        if !self.range.overlaps(begin, end) {
            return None;
        }
        let (from, to) = (begin.max(self.range.from_ns), end.min(self.range.to_ns));
        Some(to.saturating_sub(from).max(0))
    }

    /// Calls `visit` with the rows of one chunk that have a part in the range, and its length.
    #[inline]
    fn chunk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, i64)) {
        let (slices, first) = (&self.trace.slices, rows.start / CHUNK_ROWS * CHUNK_ROWS);
        let chunk = first / CHUNK_ROWS;
        let (ts, dur) = (slices.ts.chunk(chunk), slices.dur.chunk(chunk));
        let tracks = slices.track_id.chunk(chunk);
        for row in rows {
            let at = row - first;
            if (self.all || self.wanted[tracks.get(at).row()])
                && let Some(part) = self.inside(row, ts.get(at), dur.get(at))
            {
                visit(row, part);
            }
        }
    }

    #[inline]
    fn name(&self, row: usize) -> NameId {
        self.timeline.names.of_slice(row)
    }

    /// Calls `each` with the rows of a source, part by part; `new` makes what a part starts with.
    fn each<T: Send>(
        &self,
        source: &Source<'_>,
        new: &(dyn Fn(usize) -> T + Sync),
        each: impl Fn(&mut T, usize, i64) + Sync,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Vec<T> {
        let ranges = match source {
            Source::Table(ranges) => ranges,
            Source::Lists(lists) => {
                let mut sum = new(0);
                for rows in lists.iter().flat_map(|list| list.chunks(STRIDE)) {
                    if cancelled() {
                        break;
                    }
                    for row in rows.iter().map(|row| *row as usize) {
                        if let Some(part) = self.part(row) {
                            each(&mut sum, row, part);
                        }
                    }
                }
                return vec![sum];
            }
        };
        let parts = ranges.iter().cloned().enumerate().collect();
        parallel::map(parts, &|(part, range)| {
            let mut sum = new(part);
            for rows in chunks(range) {
                if cancelled() {
                    break;
                }
                self.chunk(rows, |row, part| each(&mut sum, row, part));
            }
            sum
        })
    }

    /// Adds up by name, part by part. A slice's time is taken from its parent's own.
    fn sums(&self, source: &Source<'_>, cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<Vec<Sum>> {
        let new = |_| vec![Sum::ZERO; self.timeline.names.len()];
        let add = |sums: &mut Vec<Sum>, row, part| self.add(sums, row, part);
        self.each(source, &new, add, cancelled)
    }

    #[inline]
    fn add(&self, sums: &mut [Sum], row: usize, part: i64) {
        let parent = self.trace.slices.parent_id.get(row);
        if parent != SliceId::NONE
            && let Some(above) = sums.get_mut(self.name(parent.row()).row())
        {
            above.own -= i128::from(part);
        }
        let Some(sum) = sums.get_mut(self.name(row).row()) else {
            return;
        };
        sum.add(part, self.recursion.is(row));
    }
}
