//! Which slice an end means.

use traceloom_trace::{Place, RepairKind, RowId, SliceId, StringId, TraceBuilder, TrackId};

use super::interpret::TrackEvents;
use super::nested::MOST_TRIED;

impl TrackEvents<'_> {
    /// The innermost open slice that an end with this name and category can mean. Ends need neither, and slices need no
    /// name.
    pub(super) fn matching(
        &self,
        track: TrackId,
        (name, category): (StringId, StringId),
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let ends = self.ends.get(&track).map_or(&[][..], Vec::as_slice);
        let first = out.open_depth(track).saturating_sub(MOST_TRIED);
        let open = out.open_slices(track);
        let tried = open.iter().enumerate().skip(first).rev();
        let slices = &out.trace().slices;
        let fits = |(depth, slice): &(usize, &SliceId)| {
            let known = (
                slices.name.get(slice.row()),
                slices.category.get(slice.row()),
            );
            let has_end = ends.get(*depth).is_some_and(|end| *end != i64::MAX);
            let named = name.is_empty() || known.0.is_empty() || known.0 == name;
            !has_end && named && (category.is_empty() || known.1 == category)
        };
        tried.into_iter().find(fits).map(|(_, slice)| *slice)
    }

    /// Ends the slices inside of a slice that ends.
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
