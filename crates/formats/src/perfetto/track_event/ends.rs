//! Finds the slice that an end event closes.

use traceloom_trace::{Place, RepairKind, RowId, SliceId, StringId, TraceBuilder, TrackId};

use super::interpret::TrackEvents;
use crate::open_slices::{can_mean, slices_inside};

impl TrackEvents<'_> {
    /// The innermost open slice that an end event with this name and category can close. An end without a name or
    /// category matches any slice, and a slice without a name matches any end.
    pub(super) fn matching(
        &self,
        track: TrackId,
        (name, category): (StringId, StringId),
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let ends = self.ends.get(&track).map_or(&[][..], Vec::as_slice);
        let categories = &out.trace().slices.category;
        let fits = |depth: usize, slice: SliceId| {
            let has_end = ends.get(depth).is_some_and(|end| *end != i64::MAX);
            let is_of_category = category.is_empty() || categories.get(slice.row()) == category;
            !has_end && is_of_category && can_mean(slice, name, out)
        };
        let inside = slices_inside(track, out, fits)?;
        out.open_slices(track).iter().rev().nth(inside).copied()
    }

    /// Ends the slices that are nested in a slice that ends.
    pub(super) fn close_above(
        &mut self,
        track: TrackId,
        slice: SliceId,
        ts: i64,
        out: &mut TraceBuilder,
    ) {
        let mut closed = 0;
        while out.open_slice(track).is_some_and(|open| open != slice) {
            out.end_slice(track, ts, None);
            if let Some(ends) = self.ends.get_mut(&track) {
                ends.pop();
            }
            closed += 1;
        }
        let place = Place::default().with_ts(ts);
        out.repair(RepairKind::MissingExit, closed, place, String::new);
    }
}
