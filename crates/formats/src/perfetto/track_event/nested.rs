//! Asynchronous slices of Chrome. Slices with the same id are nested, others may overlap.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    AsyncLanes, LaneKey, RowId, SliceBegin, SliceId, StringId, TraceBuilder, TrackId, TrackType,
};

use super::tracks::Owner;
use crate::open_slices::{can_mean, end_inside, slices_inside};

/// The owner of an id, and the id. Asynchronous events with the same pair belong together.
pub(super) type Id = (Owner, u64);

/// The open slices of one id.
#[derive(Clone, Copy, Debug)]
struct Open {
    key: LaneKey,
    lane: TrackId,
    depth: u32,
}

/// The asynchronous slices of a trace.
#[derive(Debug, Default)]
pub(super) struct NestedLanes {
    lanes: AsyncLanes,
    open: FxHashMap<Id, Open>,
    /// The name of the first event with each id, which is the name of its track.
    names: FxHashMap<Id, StringId>,
}

impl NestedLanes {
    /// The track of an event with an id.
    pub fn track(&mut self, id: Id, name: StringId, out: &mut TraceBuilder) -> TrackId {
        if let Some(open) = self.open.get(&id) {
            return open.lane;
        }
        let name = *self.names.entry(id).or_insert(name);
        match id.0 {
            Owner::Process(upid) => {
                out.process_track(TrackType::LegacyAsyncProcessSlice, upid, name)
            }
            _ => out.global_track(TrackType::LegacyAsyncGlobalSlice, name),
        }
    }

    /// Begins a slice. If a slice with the same id is open, the new one is nested in it.
    pub fn begin(&mut self, id: Id, begin: SliceBegin, out: &mut TraceBuilder) -> SliceId {
        if let Some(open) = self.open.get_mut(&id) {
            open.depth += 1;
            return out.begin_slice(open.lane, begin);
        }
        let track = self.track(id, begin.name, out);
        let key = LaneKey {
            track,
            cookie: id.1 as i64,
        };
        let slice = self.lanes.begin(out, key, begin);
        let lane = out.trace().slices.track_id.get(slice.row());
        self.open.insert(
            id,
            Open {
                key,
                lane,
                depth: 1,
            },
        );
        slice
    }

    /// Ends the innermost slice with an id that has this name and category, and all slices inside it. An end without a
    /// name or category matches any. Returns `None` if there is no such slice.
    pub fn end(
        &mut self,
        id: Id,
        (name, category): (StringId, StringId),
        ts: i64,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let open = self.open.get_mut(&id)?;
        let categories = &out.trace().slices.category;
        let fits = |_, slice: SliceId| {
            let is_of_category = category.is_empty() || categories.get(slice.row()) == category;
            is_of_category && can_mean(slice, name, out)
        };
        let inside = slices_inside(open.lane, out, fits)?;
        end_inside(open.lane, inside, ts, out);
        open.depth = open.depth.saturating_sub(inside as u32);
        if open.depth > 1 {
            open.depth -= 1;
            return out.end_slice(open.lane, ts, None);
        }
        let key = open.key;
        self.open.remove(&id);
        self.lanes.end(out, key, ts)
    }
}
