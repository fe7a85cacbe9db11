//! Visits the slices of a range: which ones count, and how much of each is inside.

use std::ops::Range;

use traceloom_trace::{CHUNK_ROWS, NO_DURATION, RowId, Trace, TrackId};

use crate::parallel;
use crate::partition::first_index_not;
use crate::timeline::downsample::Window;
use crate::timeline::index::Timeline;
use crate::timeline::names::NameId;
use crate::timeline::recursion::Recursion;
use crate::timeline::stats::Sums;
use crate::timeline::unfinished::Unfinished;
use crate::tree::TimeRange;

/// Which slices to count.
#[derive(Clone, Copy, Default)]
pub struct RangeScope<'a> {
    /// Slices are cut at the ends of this range. `None` is the whole trace.
    pub range: Option<TimeRange>,
    /// Whether a track counts, by its row. `None` is all tracks.
    pub tracks: Option<&'a [bool]>,
    /// Whether slices of tracks without a thread count too.
    pub all_tracks: bool,
}

/// The slices to visit: ranges of the table, each for one thread, or lists of rows.
pub(super) enum Source<'t> {
    Table(Vec<Range<usize>>),
    Lists(Vec<&'t [u32]>),
}

/// The slices of a scope, and what is needed to count them.
#[derive(Clone)]
pub(super) struct Count<'t> {
    pub trace: &'t Trace,
    pub timeline: &'t Timeline,
    pub recursion: &'t Recursion,
    pub unfinished: &'t Unfinished,
    /// Whether the slices of a track count, by its row.
    pub wanted: Vec<bool>,
    /// Whether all tracks count.
    pub all: bool,
    pub range: TimeRange,
}

/// Rows, split at the starts of chunks.
pub(super) fn chunks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let chunks = rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS);
    chunks.map(move |chunk| {
        let all = chunk * CHUNK_ROWS..(chunk + 1) * CHUNK_ROWS;
        all.start.max(rows.start)..all.end.min(rows.end)
    })
}

/// The number of rows between two checks for cancellation.
pub(super) const STRIDE: usize = 1 << 16;

impl<'t> Count<'t> {
    pub fn new(trace: &'t Trace, timeline: &'t Timeline, scope: &RangeScope<'_>) -> Self {
        let mut wanted = Vec::new();
        for (kind, row) in trace.tracks.kind.iter().zip(0..) {
            let is_in = |tracks: &[bool]| tracks.get(row) == Some(&true);
            let is_counted = scope.all_tracks || kind.is_profiled();
            wanted.push(is_counted && scope.tracks.is_none_or(is_in));
        }
        Self {
            trace,
            timeline,
            recursion: timeline.recursion(trace),
            unfinished: &timeline.ends.unfinished,
            all: !wanted.contains(&false),
            wanted,
            range: scope.range.unwrap_or(TimeRange::ALL),
        }
    }

    /// Visiting the table in order is several times as fast per slice as visiting lanes, whose
    /// slices are far apart in memory. Lanes, however, can be searched for the slices in the range.
    pub fn source(&self) -> Source<'t> {
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
                first_index_not(rows, is_before),
                self.most_parts(),
            ))
        } else {
            Source::Lists(lists)
        }
    }

    /// The greatest number of parts, because the sums of each part take memory.
    fn most_parts(&self) -> usize {
        const MANY_NAMES: usize = 1 << 17;
        if self.timeline.names.len() > MANY_NAMES {
            2
        } else {
            usize::MAX
        }
    }

    /// The length of a slice's part in the range. `None` if it has no part in the range or does not
    /// count.
    pub fn part(&self, row: usize) -> Option<i64> {
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
    pub fn chunk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, i64)) {
        let (slices, first) = (&self.trace.slices, rows.start / CHUNK_ROWS * CHUNK_ROWS);
        let chunk = first / CHUNK_ROWS;
        let (ts, dur) = (slices.ts.chunk(chunk), slices.dur.chunk(chunk));
        let (tracks, instants) = (slices.track_id.chunk(chunk), slices.instant.chunk(chunk));
        for row in rows {
            let at = row - first;
            if !instants.get(at)
                && (self.all || self.wanted[tracks.get(at).row()])
                && let Some(part) = self.inside(row, ts.get(at), dur.get(at))
            {
                visit(row, part);
            }
        }
    }

    #[inline]
    pub fn name(&self, row: usize) -> NameId {
        self.timeline.names.of_slice(row)
    }

    /// Calls `each` with the rows of a source, part by part; `new` makes the initial value of a
    /// part.
    pub fn each<T: Send>(
        &self,
        source: &Source<'_>,
        new: &(dyn Fn(usize) -> T + Sync),
        each: impl Fn(&mut T, usize, i64) + Sync,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Vec<T> {
        let ranges = match source {
            Source::Table(ranges) => ranges,
            Source::Lists(lists) => return vec![self.each_listed(lists, new(0), each, cancelled)],
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

    fn each_listed<T>(
        &self,
        lists: &[&[u32]],
        mut sum: T,
        each: impl Fn(&mut T, usize, i64),
        cancelled: &dyn Fn() -> bool,
    ) -> T {
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
        sum
    }

    /// Adds up by name, part by part.
    pub fn sums(&self, source: &Source<'_>, cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<Sums> {
        let new = |_| Sums::new(self.timeline.names.len(), self.unfinished.rows().len());
        let add = |sums: &mut Sums, row, part| self.add(sums, row, part);
        self.each(source, &new, add, cancelled)
    }
}
