//! The statistics of one name, from its slices alone.

use traceloom_trace::{RowId, SliceId, TrackId};

use super::count::{Count, STRIDE};
use super::percentiles::nearest_ranks;
use super::sums::merged;
use crate::timeline::names::NameId;
use crate::timeline::stats::{NameStats, Sum};

/// The statistics of the given slices, which have one name, as far as they overlap the range.
/// `None` if none does, or if `cancelled`.
pub(super) fn of_name(
    count: &Count<'_>,
    (name, slices): (NameId, &[SliceId]),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<NameStats> {
    if count.has_unfinished(name) {
        return of_all_names(count, (name, slices), cancelled);
    }
    let (trace, timeline) = (count.trace, count.timeline);
    let (mut sum, mut lengths) = (Sum::ZERO, Vec::with_capacity(slices.len()));
    for (at, row) in slices.iter().map(|id| id.row()).enumerate() {
        if at % STRIDE == 0 && cancelled() {
            return None;
        }
        if !timeline.lanes.is_tangled(trace.slices.track_id.get(row)) {
            for child in timeline.lanes.children(trace, &timeline.ends, row) {
                sum.own -= i128::from(count.part(child as usize).unwrap_or(0));
            }
        }
        if let Some(part) = count.part(row) {
            sum.add(part, count.recursion.is(row));
            lengths.push(part);
        }
    }
    sum.own -= count.within_tangled(name);
    let [median_ns, p95_ns] = nearest_ranks(&mut lengths);
    (sum.count > 0).then(|| sum.stats(name, [median_ns, p95_ns]))
}

/// The same from the sums of all names: the finished slices inside one that never ended can have any name.
fn of_all_names(
    count: &Count<'_>,
    (name, slices): (NameId, &[SliceId]),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<NameStats> {
    let sums = count.settled(merged(&count.sums(&count.source(), cancelled)));
    let ended = slices.iter().map(|id| id.row());
    let ended = ended.filter(|row| count.unfinished.place(*row).is_none());
    let mut lengths: Vec<i64> = ended.filter_map(|row| count.part(row)).collect();
    let sum = sums.get(name.row()).filter(|_| !cancelled())?;
    (sum.count > 0).then(|| sum.stats(name, nearest_ranks(&mut lengths)))
}

impl Count<'_> {
    /// Whether any slice of a name never ended.
    fn has_unfinished(&self, name: NameId) -> bool {
        let mut rows = self.unfinished.rows().iter();
        rows.any(|row| self.name(*row as usize) == name)
    }

    /// Time of slices directly within a slice of this name, on tracks where searching for each
    /// slice's children would be slow.
    fn within_tangled(&self, name: NameId) -> i128 {
        let mut sum = 0;
        for track in (0..self.trace.tracks.len()).map(TrackId::from_row) {
            if !self.timeline.lanes.is_tangled(track) {
                continue;
            }
            for row in self.timeline.lanes.rows_of(track) {
                let row = *row as usize;
                let parent = self.trace.slices.parent_id.get(row).some();
                if parent.is_some_and(|parent| self.name(parent.row()) == name) {
                    sum += i128::from(self.part(row).unwrap_or(0));
                }
            }
        }
        sum
    }
}
