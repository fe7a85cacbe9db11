//! Finds the open slice that a named end event closes.

use traceloom_trace::{Place, RepairKind, RowId, SliceId, StringId, TraceBuilder, TrackId};

/// The maximum number of open slices that are compared with an end.
const MOST_TRIED: usize = 512;

/// Finds the innermost open slice of a track that satisfies `fits`. Returns how many slices are open inside it. `fits`
/// gets the depth of a slice, and the slice.
pub(crate) fn slices_inside(
    track: TrackId,
    out: &TraceBuilder,
    mut fits: impl FnMut(usize, SliceId) -> bool,
) -> Option<usize> {
    let open = out.open_slices(track).iter().enumerate().rev();
    open.take(MOST_TRIED)
        .position(|(depth, slice)| fits(depth, *slice))
}

/// Whether an end with this name can close a slice. Either name may be empty.
pub(crate) fn can_mean(slice: SliceId, name: StringId, out: &TraceBuilder) -> bool {
    let own = out.trace().slices.name.get(slice.row());
    name.is_empty() || own.is_empty() || own == name
}

/// Ends the innermost `count` slices of a track, because an enclosing slice ends at `ts`, ns. Counts each as a repair.
pub(crate) fn end_inside(track: TrackId, count: usize, ts: i64, out: &mut TraceBuilder) {
    for _ in 0..count {
        out.end_slice(track, ts, None);
    }
    let place = Place::default().with_ts(ts);
    out.repair(RepairKind::MissingExit, count as u64, place, String::new);
}
