//! Overlapping slices of a track. Each slice goes on a lane where no other slice is open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::builder::{SliceBegin, TraceBuilder};
use crate::ids::{SliceId, TrackId};

/// Identifies one of the overlapping slices of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneKey {
    /// The track; the first lane is the track itself, the others have it as parent.
    pub track: TrackId,
    /// The value that begin and end share: a cookie, a sector, a transaction.
    pub cookie: i64,
}

/// Matches the begins and ends of slices that may overlap.
///
/// ```text
/// track    |--- cookie 1 ---|      |-- cookie 3 --|
/// a lane       |--- cookie 2 ----------|
/// ```
#[derive(Debug, Default)]
pub struct AsyncLanes {
    open: FxHashMap<LaneKey, TrackId>,
    /// The lanes of keys that began again while open, outermost first.
    again: FxHashMap<LaneKey, Vec<TrackId>>,
    /// Free lanes beside the track itself. Lower ones are used first, so that the track has as few
    /// levels as possible.
    free: FxHashMap<TrackId, BinaryHeap<Reverse<TrackId>>>,
}

impl AsyncLanes {
    /// Opens a slice on the first free lane.
    pub fn begin(
        &mut self,
        builder: &mut TraceBuilder,
        key: LaneKey,
        begin: SliceBegin,
    ) -> SliceId {
        let lane = self.free_lane(builder, key.track);
        if let Some(outer) = self.open.insert(key, lane) {
            self.again.entry(key).or_default().push(outer);
        }
        builder.begin_slice(lane, begin)
    }

    /// Opens a slice inside the open one with this key; on the first free lane if there is none.
    pub fn nest(&mut self, builder: &mut TraceBuilder, key: LaneKey, begin: SliceBegin) -> SliceId {
        let Some(lane) = self.open.get(&key).copied() else {
            return self.begin(builder, key, begin);
        };
        self.again.entry(key).or_default().push(lane);
        builder.begin_slice(lane, begin)
    }

    fn free_lane(&mut self, builder: &mut TraceBuilder, track: TrackId) -> TrackId {
        if builder.open_slice(track).is_none() {
            return track;
        }
        match self.free.get_mut(&track).and_then(BinaryHeap::pop) {
            Some(Reverse(lane)) => lane,
            None => builder.lane_of(track),
        }
    }

    /// The most recently opened slice with this key.
    pub fn open_slice(&self, builder: &mut TraceBuilder, key: LaneKey) -> Option<SliceId> {
        builder.open_slice(*self.open.get(&key)?)
    }

    /// Closes the most recently opened slice with this key; `None` if there is none.
    pub fn end(&mut self, builder: &mut TraceBuilder, key: LaneKey, ts: i64) -> Option<SliceId> {
        let lane = self.open.remove(&key)?;
        if let Some(outer) = self.again.get_mut(&key) {
            self.open.extend(outer.pop().map(|outer| (key, outer)));
            if outer.is_empty() {
                self.again.remove(&key);
            }
        }
        let is_in_use = self.open.get(&key) == Some(&lane);
        if lane != key.track && !is_in_use {
            self.free.entry(key.track).or_default().push(Reverse(lane));
        }
        builder.end_slice(lane, ts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StringId;
    use crate::track_type::TrackType;

    #[test]
    fn the_drawing_above() {
        let mut builder = TraceBuilder::new();
        let track = builder.global_track(TrackType::GlobalSlice, StringId::NULL);
        let mut lanes = AsyncLanes::default();
        let key = |cookie| LaneKey { track, cookie };
        for (ts, cookie, begins) in [(0, 1, true), (4, 2, true), (9, 1, false), (12, 3, true)] {
            if begins {
                _ = lanes.begin(
                    &mut builder,
                    key(cookie),
                    SliceBegin::named(ts, StringId(0)),
                )
            } else {
                assert!(lanes.end(&mut builder, key(cookie), ts).is_some())
            }
        }
        assert!(lanes.end(&mut builder, key(9), 12).is_none());
        let trace = builder.finish();
        let tracks: Vec<_> = trace.slices.rows().map(|row| row.track_id).collect();
        assert_eq!(tracks, [track, TrackId(1), track]);
        assert_eq!(trace.tracks.parent.get(1), track);
    }

    /// Cookie 2 begins twice on a lane, which stays in use until both slices ended.
    #[test]
    fn a_slice_inside_another_one_with_its_cookie() {
        let mut builder = TraceBuilder::new();
        let track = builder.global_track(TrackType::GlobalSlice, StringId::NULL);
        let mut lanes = AsyncLanes::default();
        let key = |cookie| LaneKey { track, cookie };
        let begin = |ts| SliceBegin::named(ts, StringId(0));
        for (ts, cookie) in [(0, 1), (1, 2), (2, 2)] {
            lanes.nest(&mut builder, key(cookie), begin(ts));
        }
        let inner = lanes.end(&mut builder, key(2), 3);
        lanes.nest(&mut builder, key(3), begin(4));
        let outer = lanes.end(&mut builder, key(2), 5);
        assert!(inner > outer && outer.is_some());
        let trace = builder.finish();
        let rows = trace.slices.rows().map(|row| (row.track_id.0, row.depth));
        assert_eq!(rows.collect::<Vec<_>>(), [(0, 0), (1, 0), (1, 1), (2, 0)]);
    }
}
