//! The builder's state between calls: the open slices of each track, and the tracks created so far.

use rustc_hash::FxHashMap;

use crate::ids::{RowId, SliceId, StringId, ThreadId, TrackId};
use crate::track_type::TrackType;

/// The open slices of each track, innermost last.
#[derive(Debug, Default)]
pub(super) struct OpenSlices {
    by_track: Vec<Vec<SliceId>>,
}

impl OpenSlices {
    #[inline]
    pub fn on_track(&mut self, track: TrackId) -> &mut Vec<SliceId> {
        if track.row() >= self.by_track.len() {
            self.by_track.resize_with(track.row() + 1, Vec::new);
        }
        &mut self.by_track[track.row()]
    }

    /// The open slices of a track, outermost first.
    pub fn of(&self, track: TrackId) -> &[SliceId] {
        self.by_track.get(track.row()).map_or(&[], Vec::as_slice)
    }

    /// Every open slice, in the order of their starts.
    pub fn all(&self) -> Vec<SliceId> {
        let mut open: Vec<SliceId> = self.by_track.iter().flatten().copied().collect();
        open.sort_unstable();
        open
    }
}

/// The tracks of the current source, by their owner.
#[derive(Debug, Default)]
pub(super) struct TrackIndex {
    pub by_thread: FxHashMap<ThreadId, TrackId>,
    /// By kind, owner (utid, upid or CPU) and name.
    pub by_key: FxHashMap<(TrackType, i64, StringId), TrackId>,
}
