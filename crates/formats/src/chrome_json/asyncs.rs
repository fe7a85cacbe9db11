//! Async slices. Slices with the same id nest; slices with different ids may overlap.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgValue, AsyncLanes, IdKind, LaneKey, NO_DURATION, Place, ProcessId, RepairKind, RowId,
    SliceId, StringId, TraceBuilder, TrackId, TrackOwnerId, TrackType,
};

use super::async_key::{Key, keys};
use super::crossing::crossing;
use super::event_stacks::EventStacks;
use super::flows::{FlowKey, Flows};
use super::rows::{FLOW_IN, FLOW_OUT, LOCAL, Row};
use crate::open_slices::{can_mean, end_inside, slices_inside};

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
    /// The process of the last slice that began with a key, by the key without its process. An id that is not local is
    /// the same in all processes.
    began: FxHashMap<Key, ProcessId>,
    lanes: AsyncLanes,
    tracks: BaseTracks,
    next: i64,
    /// The begins of slices that cross others, by the positions of their events in the file.
    crossing: FxHashMap<u32, u32>,
    /// The lanes of those that are open, by their begins.
    alone: FxHashMap<u32, LaneKey>,
    /// The ids of the flows of events, by their position in the file.
    binds: FxHashMap<u32, StringId>,
}

impl Asyncs {
    /// Prepares for the events `rows`, which are in order of time.
    pub fn new(binds: FxHashMap<u32, StringId>, rows: &[Row]) -> Self {
        Self {
            binds,
            crossing: crossing(rows),
            ..Self::default()
        }
    }

    /// Processes an event, and adds its flow to `flows` and its stacks to `stacks`.
    pub fn take(
        &mut self,
        row: &Row,
        (flows, stacks): (&mut Flows, &mut EventStacks),
        out: &mut TraceBuilder,
    ) {
        let Some(slice) = self.event(row, out) else {
            return;
        };
        stacks.begin(row, slice);
        let Some(&id) = self.binds.get(&row.sequence) else {
            return;
        };
        let ends = (row.flags & FLOW_IN != 0, row.flags & FLOW_OUT != 0);
        flows.point(FlowKey::bound(id), row.ts, slice, ends);
    }

    /// Begins a slice, ends one, or adds an instant. Returns what is new.
    fn event(&mut self, row: &Row, out: &mut TraceBuilder) -> Option<SliceId> {
        if let Some(&begin) = self.crossing.get(&row.sequence) {
            return self.alone(begin, row, out);
        }
        let key = Key::of(row);
        match row.phase {
            b'b' | b'S' => Some(self.begin(key, row, out)),
            b'e' | b'F' => {
                self.end(key, row, out);
                None
            }
            _ => {
                let open = keys(&self.began, key, row).find_map(|key| self.open.get(&key));
                let open = open.map(|open| open.lane);
                let track = open.unwrap_or_else(|| self.tracks.get(row, out));
                let instant = out.instant(track, row.ts, row.name, row.args);
                if row.thread_ts != NO_DURATION {
                    out.set_slice_thread_ts(instant, row.thread_ts);
                }
                Some(instant)
            }
        }
    }

    /// Begins or ends a slice on a lane of its own, because it crosses the end of one with the same id.
    fn alone(&mut self, begin: u32, row: &Row, out: &mut TraceBuilder) -> Option<SliceId> {
        if begin != row.sequence {
            let slice = self.lanes.end(out, self.alone.remove(&begin)?, row.ts)?;
            out.append_slice_args(slice, row.args);
            return None;
        }
        let lane_key = self.lane_key(row, out);
        self.alone.insert(begin, lane_key);
        Some(self.lanes.begin(out, lane_key, row.begin()))
    }

    fn lane_key(&mut self, row: &Row, out: &mut TraceBuilder) -> LaneKey {
        let track = self.tracks.get(row, out);
        let cookie = self.next;
        self.next += 1;
        LaneKey { track, cookie }
    }

    fn begin(&mut self, key: Key, row: &Row, out: &mut TraceBuilder) -> SliceId {
        if row.flags & LOCAL == 0 {
            self.began.insert(key.in_any_process(), key.upid);
        }
        if let Some(open) = self.open.get_mut(&key) {
            open.depth += 1;
            return out.begin_slice(open.lane, row.begin());
        }
        let lane_key = self.lane_key(row, out);
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
        slice
    }

    /// Ends the innermost slice with the name of the end event, and the slices inside it. The name may be empty.
    fn end(&mut self, key: Key, row: &Row, out: &mut TraceBuilder) {
        let meant = keys(&self.began, key, row).find_map(|key| {
            let open = *self.open.get(&key)?;
            let fits = |_, slice| can_mean(slice, row.name, out);
            Some((key, open, slices_inside(open.lane, out, fits)?))
        });
        let Some((key, mut open, inside)) = meant else {
            let place = Place::default().with_ts(row.ts);
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

/// The tracks of async slices. Slices with local ids have tracks of their own.
#[derive(Debug, Default)]
struct BaseTracks(FxHashMap<(ProcessId, StringId, bool), TrackId>);

impl BaseTracks {
    /// The track for all async slices with a name.
    fn get(&mut self, row: &Row, out: &mut TraceBuilder) -> TrackId {
        let Some(upid) = row.upid.some() else {
            return out.global_track(TrackType::LegacyAsyncGlobalSlice, row.name);
        };
        let is_local = row.flags & LOCAL != 0;
        let key = (upid, row.name, is_local);
        *self.0.entry(key).or_insert_with(|| {
            let kind = TrackType::LegacyAsyncProcessSlice;
            let track = out.separate_track(kind, TrackOwnerId::Process(upid), row.name);
            let source = ArgValue::Text(out.intern(b"chrome"));
            let args = [
                ("source", source),
                ("trace_id_is_process_scoped", ArgValue::Bool(is_local)),
                ("upid", ArgValue::Row(IdKind::Process, upid.0)),
            ];
            out.add_track_args(track, &args);
            track
        })
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{ArgValue, RepairKind, RowId};

    use crate::chrome_json::tests::{read, slices};

    /// As in chrome://tracing and Perfetto. Chromium's `InputLatency` begins in the browser and ends in a renderer.
    #[test]
    fn a_slice_may_end_in_another_process() {
        let trace = read(
            r#"[{"ph":"S","pid":1,"ts":0,"id":"0x1","cat":"c","name":"input"},
                {"ph":"S","pid":2,"ts":1,"id":"0x1","cat":"c","name":"input"},
                {"ph":"F","pid":2,"ts":3,"id":"0x1","cat":"c","name":"input"},
                {"ph":"b","pid":1,"ts":10,"id":"0x2","cat":"c","name":"load"},
                {"ph":"n","pid":2,"ts":11,"id":"0x2","cat":"c","name":"sent"},
                {"ph":"e","pid":2,"ts":15,"id":"0x2","cat":"c","name":"load"},
                {"ph":"b","pid":1,"ts":20,"id2":{"local":"0x3"},"cat":"c","name":"own"},
                {"ph":"e","pid":2,"ts":25,"id2":{"local":"0x3"},"cat":"c","name":"own"}]"#,
        );
        let expected = ["0 input 0+…", "0 input 1+2", "0 load 10+5", "0 own 20+…"];
        assert_eq!(slices(&trace), expected);
        assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
        let tracks = &trace.slices.track_id;
        let instant = trace.slices.instants().next().unwrap();
        let load = trace.slices.spans().nth(2).unwrap();
        assert_eq!(tracks.get(instant), tracks.get(load));
    }

    #[test]
    fn slices_of_local_ids_have_tracks_of_their_own() {
        let trace = read(
            r#"[{"ph":"b","pid":1,"ts":1,"id":"0x1","cat":"c","name":"a"},
                {"ph":"b","pid":1,"ts":2,"id2":{"local":"0x2"},"cat":"c","name":"a"}]"#,
        );
        let scoped = |slice: usize| {
            let track = trace.slices.track_id.get(slice);
            let args = trace.args.set(trace.tracks.arg_set_id.get(track.row()));
            let mut args =
                args.filter(|(key, _)| trace.strings.get(*key) == "trace_id_is_process_scoped");
            args.next().map(|(_, value)| value)
        };
        let expected = [false, true].map(|local| Some(ArgValue::Bool(local)));
        assert_eq!([0, 1].map(scoped), expected);
    }

    #[test]
    fn scopes_tell_equal_ids_apart() {
        let trace = read(
            r#"[{"ph":"b","pid":1,"ts":1,"id":"0x2","scope":"s1","cat":"c","name":"a"},
                {"ph":"b","pid":1,"ts":2,"id":"0x2","scope":"s2","cat":"c","name":"a"},
                {"ph":"e","pid":1,"ts":5,"id":"0x2","scope":"s1","cat":"c","name":"a"},
                {"ph":"e","pid":1,"ts":9,"id":"0x2","scope":"s2","cat":"c","name":"a"}]"#,
        );
        assert_eq!(slices(&trace), ["0 a 1+4", "0 a 2+7"]);
    }
}
