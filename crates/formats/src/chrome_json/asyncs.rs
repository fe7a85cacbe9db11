//! Async slices. Slices with the same id nest; slices with different ids may overlap.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    AsyncLanes, LaneKey, Place, ProcessId, RepairKind, RowId, StringId, TraceBuilder, TrackId,
    TrackType,
};

use super::rows::Row;
use crate::open_slices::{can_mean, end_inside, slices_inside};

/// Identifies the events of an async slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    upid: ProcessId,
    category: StringId,
    id: StringId,
    /// Only the old phases (`S`, `F`) distinguish slices of one id by their names.
    name: StringId,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    lane_key: LaneKey,
    lane: TrackId,
    depth: u32,
}

/// Builds async slices from events in order of time.
#[derive(Debug, Default)]
pub(super) struct Asyncs {
    open: FxHashMap<Key, Open>,
    lanes: AsyncLanes,
    next: i64,
}

impl Asyncs {
    pub fn take(&mut self, row: &Row, out: &mut TraceBuilder) {
        let nests = matches!(row.phase, b'b' | b'n' | b'e');
        let key = Key {
            upid: row.upid,
            category: row.category,
            id: row.id,
            name: if nests { StringId::NULL } else { row.name },
        };
        match row.phase {
            b'b' | b'S' => self.begin(key, row, out),
            b'e' | b'F' => self.end(key, row, out),
            _ => {
                let open = self.open.get(&key).map(|open| open.lane);
                let track = open.unwrap_or_else(|| base_track(row, out));
                out.instant(track, row.ts, row.name, row.args);
            }
        }
    }

    fn begin(&mut self, key: Key, row: &Row, out: &mut TraceBuilder) {
        if let Some(open) = self.open.get_mut(&key) {
            open.depth += 1;
            out.begin_slice(open.lane, row.begin());
            return;
        }
        let track = base_track(row, out);
        let lane_key = LaneKey {
            track,
            cookie: self.next,
        };
        self.next += 1;
        let slice = self.lanes.begin(out, lane_key, row.begin());
        let lane = out.trace().slices.track_id.get(slice.0 as usize);
        self.open.insert(
            key,
            Open {
                lane_key,
                lane,
                depth: 1,
            },
        );
    }

    /// Ends the innermost slice with the name of an end, and those inside of it. An end needs no name.
    fn end(&mut self, key: Key, row: &Row, out: &mut TraceBuilder) {
        let place = Place::default().with_ts(row.ts);
        let open = self.open.get(&key).copied();
        let fits = |_, slice| can_mean(slice, row.name, out);
        let inside = open.and_then(|open| slices_inside(open.lane, out, fits));
        let (Some(mut open), Some(inside)) = (open, inside) else {
            let name = out.trace().strings.get(row.name).to_owned();
            return out.repair(RepairKind::UnmatchedEnd, 1, place, || name);
        };
        end_inside(open.lane, inside, row.ts, out);
        open.depth = open.depth.saturating_sub(inside as u32 + 1);
        let slice = match open.depth {
            0 => {
                self.open.remove(&key);
                self.lanes.end(out, open.lane_key, row.ts)
            }
            _ => {
                self.open.insert(key, open);
                out.end_slice(open.lane, row.ts, None)
            }
        };
        if let Some(slice) = slice {
            out.append_slice_args(slice, row.args);
        }
    }
}

/// The track for all async slices with this name.
fn base_track(row: &Row, out: &mut TraceBuilder) -> TrackId {
    match row.upid {
        ProcessId::NONE => out.global_track(TrackType::LegacyAsyncGlobalSlice, row.name),
        upid => out.process_track(TrackType::LegacyAsyncProcessSlice, upid, row.name),
    }
}
