//! Statistics from cached durations. For a range that covers most of the trace, the durations
//! outside of the range are removed from the cached ones.

use std::ops::Range;

use traceloom_trace::{RowId, Trace, TrackId};

use super::count::{Count, RangeScope, chunks};
use super::sums::{merged, ranked};
use crate::parallel;
use crate::partition::first_index_not;
use crate::percentile;
use crate::timeline::downsample::Spans;
use crate::timeline::durations::DurationCache;
use crate::timeline::index::Timeline;
use crate::timeline::names::NameId;
use crate::timeline::stats::{NameStats, Sum, Sums};
use crate::tree::TimeRange;

/// The durations that a range excludes by name, and those that it cuts.
#[derive(Default)]
struct Changes {
    removed: Vec<(u32, i64)>,
    added: Vec<(u32, i64)>,
}

/// Computes the durations to cache.
pub(super) fn durations(trace: &Trace, timeline: &Timeline) -> DurationCache {
    let count = Count::new(trace, timeline, &RangeScope::default());
    let source = count.source();
    let sums = merged(&count.sums(&source, &|| false));
    let mut starts = vec![0];
    for sum in &sums.names {
        starts.push(starts[starts.len() - 1] + sum.ended());
    }
    let mut next = starts.clone();
    let mut lengths = vec![0; starts[sums.names.len()]];
    for chunk in chunks(0..trace.slices.len()) {
        count.chunk(chunk, |row, part| {
            if count.unfinished.place(row).is_some() {
                return;
            }
            let next = &mut next[count.name(row).row()];
            lengths[*next] = part;
            *next += 1;
        });
    }
    sort_each(&mut lengths, &starts);
    DurationCache {
        sums,
        starts,
        lengths,
    }
}

impl DurationCache {
    /// The same as [`Timeline::by_name`], if the range excludes only little; else `None`.
    pub(super) fn by_name(
        &self,
        count: &Count<'_>,
        limit: usize,
    ) -> Option<(Vec<NameStats>, usize)> {
        const LITTLE: usize = 8;
        let ts = &count.trace.slices.ts;
        let before = |ns: i64| first_index_not(ts.len(), |&row| ts.get(row) < ns);
        let from = before(count.range.from_ns);
        let to = before(count.range.to_ns).max(from);
        let out = [0..from, to..ts.len()];
        if out.iter().map(Range::len).sum::<usize>() > ts.len() / LITTLE {
            return None;
        }
        let (sums, changes) = self.narrowed(count, from..to, out);
        let sums = count.settled(sums);
        let (order, hidden) = ranked(&sums, limit);
        let stats = order.into_iter().map(|name| {
            let at = name as usize;
            let lengths = Lengths {
                all: &self.lengths[self.starts[at]..self.starts[at + 1]],
                removed: of_name(&changes.removed, name),
                added: of_name(&changes.added, name),
            };
            let most = sums[at].ended();
            let of_share = |share| lengths.nth(percentile::rank(most, share));
            let sum = Sum {
                min: lengths.nth(0),
                max: lengths.nth(most.saturating_sub(1)),
                ..sums[at]
            };
            sum.stats(NameId(name), [of_share(50), of_share(95)])
        });
        Some((stats.collect(), hidden))
    }

    fn narrowed(
        &self,
        count: &Count<'_>,
        window: Range<usize>,
        out: [Range<usize>; 2],
    ) -> (Sums, Changes) {
        let (mut sums, mut changes) = (self.sums.clone(), Changes::default());
        let whole = Count {
            range: TimeRange::ALL,
            ..count.clone()
        };
        let has_ended = |row: usize| count.unfinished.place(row).is_none();
        let mut remove = |row: usize, length: i64| {
            whole.remove(&mut sums, row, length);
            if has_ended(row) {
                changes.removed.push((count.name(row).0, length));
            }
        };
        out.into_iter()
            .flat_map(chunks)
            .for_each(|rows| whole.chunk(rows, &mut remove));
        let cut = cut_rows(count);
        for &row in cut.iter().filter(|row| window.contains(row)) {
            if let Some(length) = whole.part(row) {
                remove(row, length);
            }
        }
        for row in cut {
            if let Some(part) = count.part(row) {
                count.add(&mut sums, row, part);
                if has_ended(row) {
                    changes.added.push((count.name(row).0, part));
                }
            }
        }
        changes.removed.sort_unstable();
        changes.added.sort_unstable();
        (sums, changes)
    }
}

/// Sorts the lengths of each name, on several threads if there are enough.
fn sort_each(lengths: &mut [i64], starts: &[usize]) {
    let (all, names) = (lengths.len(), starts.len() - 1);
    let threads = parallel::split(all, usize::MAX).len();
    let cut = |part: usize| first_index_not(names, |&name| starts[name] < all / threads * part);
    let mut rest = lengths;
    let shares = (0..threads).map(|part| {
        let end = if part + 1 == threads {
            names
        } else {
            cut(part + 1)
        };
        let names = cut(part).min(end)..end;
        let own = starts[names.end] - starts[names.start];
        (names, rest.split_off_mut(..own).unwrap_or_default())
    });
    parallel::map(shares.collect(), &|(names, lengths): (
        Range<usize>,
        &mut [i64],
    )| {
        let first = starts[names.start];
        for name in names {
            lengths[starts[name] - first..starts[name + 1] - first].sort_unstable();
        }
    });
}

/// Slices that an end of the range cuts, level by level.
fn cut_rows(count: &Count<'_>) -> Vec<usize> {
    let (trace, timeline, range) = (count.trace, count.timeline, count.range);
    let tracks = (0..trace.tracks.len()).map(TrackId::from_row);
    let mut cut = Vec::new();
    for track in tracks.filter(|track| count.wanted[track.row()]) {
        for level in 0..timeline.lanes.levels(track) {
            let lane = timeline.lane(trace, track, level);
            let [from, to] = [range.from_ns, range.to_ns].map(|ns| lane.count_before(ns, 0));
            // If slices follow each other, only the last one before each end can extend over it.
            let (first, last) = if lane.overlaps() {
                (0, from)
            } else {
                (from.saturating_sub(1), to.saturating_sub(1).max(from))
            };
            let is_cut = |at: &usize| {
                let (begin, end) = (lane.start(*at), lane.end(*at));
                (begin < range.from_ns || end > range.to_ns) && range.overlaps(begin, end)
            };
            let places = (first..from).chain(last..to).filter(is_cut);
            cut.extend(places.map(|at| lane.ids()[at] as usize));
        }
    }
    cut
}

/// The lengths of a name in a sorted list of changed lengths.
fn of_name(changed: &[(u32, i64)], name: u32) -> &[(u32, i64)] {
    let from = changed.partition_point(|(other, _)| *other < name);
    let to = changed.partition_point(|(other, _)| *other <= name);
    &changed[from..to]
}

/// The lengths of a name in a range, each list in order of size: `all` without `removed`, and `added`.
struct Lengths<'a> {
    all: &'a [i64],
    removed: &'a [(u32, i64)],
    added: &'a [(u32, i64)],
}

impl Lengths<'_> {
    /// The number of lengths up to this one.
    fn up_to(&self, length: i64) -> usize {
        let of_changed = |list: &[(u32, i64)]| list.partition_point(|(_, other)| *other <= length);
        let all = self.all.partition_point(|other| *other <= length);
        all + of_changed(self.added) - of_changed(self.removed)
    }

    /// The length at a place in sorted order: the smallest one up to which there are more than
    /// `place`.
    fn nth(&self, place: usize) -> i64 {
        let all = self
            .all
            .partition_point(|length| self.up_to(*length) <= place);
        let added = self
            .added
            .partition_point(|(_, length)| self.up_to(*length) <= place);
        let found = [
            self.all.get(all),
            self.added.get(added).map(|(_, length)| length),
        ];
        found.into_iter().flatten().min().copied().unwrap_or(0)
    }
}
