//! Builds the slices of threads, one thread after the other.
//!
//! ```text
//! B ─────────────────────────── E        begins and ends nest by their order
//!    X ├────────┤  X ├────┤              complete slices nest by their ends
//!          X ├──────┤                    one that crosses another's end goes on a separate lane
//! ```

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgValue, AsyncLanes, LaneKey, NO_DURATION, Place, RepairKind, RowId, SliceId, StringId,
    ThreadId, TraceBuilder, TrackId, TrackType,
};

use super::event_stacks::EventStacks;
use super::flows::{Arriving, Ended, FlowKey, Flows, Moments};
use super::import_log;
use super::rounding::rounding;
use super::rows::{FLOW_IN, FLOW_OUT, Row};
use super::ties::settle;

/// The maximum number of overlaps of a thread in the import log, and of open slices that are compared for one.
const MOST_LOGGED: u64 = 4096;
const MOST_COMPARED: usize = 64;

/// Builds all slices and instants of threads; `rows` are sorted. Returns the number of slices on separate lanes, which
/// cross the end of another slice.
pub(super) fn build(
    rows: &mut [Row],
    flows: &mut Flows,
    stacks: &mut EventStacks,
    out: &mut TraceBuilder,
) -> u64 {
    let mut overlapping = 0;
    for rows in rows.chunk_by_mut(|a, b| a.utid == b.utid) {
        settle(rows);
        let rounding = rounding(rows);
        let mut thread = Thread {
            track: None,
            utid: rows[0].utid,
            open: Vec::new(),
            names: FxHashMap::default(),
            lanes: AsyncLanes::default(),
            crossing: BinaryHeap::new(),
            arriving: VecDeque::new(),
            ended: Ended::default(),
            moments: Moments::default(),
            rounding,
            overlapping: 0,
            flows,
            stacks,
            out,
        };
        rows.iter().for_each(|row| thread.take(row));
        thread.finish();
        overlapping += thread.overlapping;
    }
    overlapping
}

#[derive(Clone, Copy)]
struct Open {
    slice: SliceId,
    name: StringId,
    /// The end of a complete slice; `None` for a slice that waits for its end event.
    end: Option<(i64, Option<i64>)>,
    /// The slice's own end. For a slice with an end event, the time of that event.
    own_end: i64,
    /// The earliest end of this and all slices around it that are complete.
    first_end: i64,
    /// The same, including slices with an end event.
    room: i64,
}

struct Thread<'a> {
    track: Option<TrackId>,
    utid: ThreadId,
    open: Vec<Open>,
    /// The number of open slices that wait for an end with this name.
    names: FxHashMap<StringId, u32>,
    lanes: AsyncLanes,
    /// The ends of slices on separate lanes.
    crossing: BinaryHeap<Reverse<(i64, i64, TrackId)>>,
    /// Flows that end at the next slice, in order of time.
    arriving: VecDeque<Arriving>,
    ended: Ended,
    moments: Moments,
    /// The maximum rounding error by which an inner slice may end after its outer one, ns.
    rounding: i64,
    /// The number of slices on separate lanes.
    overlapping: u64,
    flows: &'a mut Flows,
    stacks: &'a mut EventStacks,
    out: &'a mut TraceBuilder,
}

impl Thread<'_> {
    fn take(&mut self, row: &Row) {
        self.advance(row.ts);
        match row.phase {
            b'B' => self.begin(row, None),
            b'E' => self.end(row),
            b'X' => self.whole(row),
            b's' | b't' | b'f' => self.flow(row),
            _ => self.instant(row),
        }
    }

    fn finish(&mut self) {
        self.advance(i64::MAX);
        let waiting = self.arriving.len() as u64;
        self.out
            .repair(RepairKind::BadField, waiting, Place::default(), || {
                "a flow without a slice behind it".to_owned()
            });
    }

    fn track(&mut self) -> TrackId {
        let (utid, out) = (self.utid, &mut *self.out);
        *self.track.get_or_insert_with(|| out.thread_track(utid))
    }

    /// Closes the complete slices that end by `ts`.
    fn advance(&mut self, ts: i64) {
        while let Some(top) = self.open.last() {
            let due = top.end.is_some_and(|(end, _)| end <= ts) || top.first_end < ts;
            if !due {
                break;
            }
            // A slice without an end inside a slice that has ended.
            let (at, cut) = (top.first_end, top.end.is_none());
            self.out.repair(
                RepairKind::MissingExit,
                cut.into(),
                Place::default().with_ts(at),
                || "a slice whose enclosing slice ended first".to_owned(),
            );
            self.close(at, None, u32::MAX);
        }
        while let Some(&Reverse((end, cookie, track))) = self.crossing.peek() {
            if end > ts {
                break;
            }
            self.crossing.pop();
            self.lanes.end(self.out, LaneKey { track, cookie }, end);
        }
    }

    fn begin(&mut self, row: &Row, end: Option<(i64, Option<i64>)>) {
        let track = self.track();
        self.ended.clear();
        let slice = self.out.begin_slice(track, row.begin());
        if row.thread_ts == NO_DURATION && row.thread_dur != NO_DURATION {
            self.out.set_slice_thread_dur(slice, row.thread_dur);
        }
        let around = self.open.last();
        let (first_end, room) =
            around.map_or((i64::MAX, i64::MAX), |open| (open.first_end, open.room));
        let own = end.map_or(i64::MAX, |(end, _)| end);
        let own_end = own.min(row.ts.saturating_add(row.dur));
        if end.is_none() {
            *self.names.entry(row.name).or_default() += 1;
        }
        self.open.push(Open {
            slice,
            name: row.name,
            end,
            own_end,
            first_end: own.min(first_end),
            room: own_end.min(room),
        });
        self.bind(row, slice);
    }

    /// Closes the innermost slice. `at` is used unless the slice has its own end. `sequence` is the position of its
    /// end event in the file.
    fn close(&mut self, at: i64, thread_ts: Option<i64>, sequence: u32) {
        let Some(open) = self.open.pop() else { return };
        let (at, thread_ts) = open.end.unwrap_or((at, thread_ts));
        if open.end.is_none()
            && let Some(count) = self.names.get_mut(&open.name)
        {
            *count -= 1;
            if *count == 0 {
                self.names.remove(&open.name);
            }
        }
        let has_clock = self.out.trace().slices.thread_ts.get(open.slice.row()) != NO_DURATION;
        let track = self.track();
        self.out
            .end_slice(track, at, thread_ts.filter(|_| has_clock));
        self.ended.add(at, sequence, open.slice);
    }

    /// Handles an end event. One with a name closes the innermost slice of that name and everything
    /// inside it.
    fn end(&mut self, row: &Row) {
        let is_named = !row.name.is_empty();
        let known = if is_named {
            self.names.contains_key(&row.name)
        } else {
            !self.names.is_empty()
        };
        if !known {
            let place = Place::default().with_ts(row.ts);
            let name = |out: &TraceBuilder| out.trace().strings.get(row.name).to_owned();
            let name = name(self.out);
            return self.out.repair(RepairKind::UnmatchedEnd, 1, place, || name);
        }
        while let Some(&top) = self.open.last() {
            let is_it = top.end.is_none() && (!is_named || top.name == row.name);
            if is_it {
                self.out.append_slice_args(top.slice, row.args);
                self.stacks.end(row, top.slice);
                let clock = (row.thread_ts != NO_DURATION).then_some(row.thread_ts);
                return self.close(row.ts, clock, row.sequence);
            }
            let place = Place::default().with_ts(row.ts);
            self.out
                .repair(RepairKind::MissingExit, 1, place, String::new);
            if let Some(top) = self.open.last_mut() {
                top.end = top.end.map(|_| (row.ts, None));
            }
            self.close(row.ts, None, row.sequence);
        }
    }

    fn whole(&mut self, row: &Row) {
        let end = row.ts.saturating_add(row.dur);
        let room = self.open.last().map_or(i64::MAX, |open| open.room);
        if end.saturating_sub(self.rounding) > room {
            return self.begin_overlapping(row, end);
        }
        if end > room {
            let place = Place::default().with_ts(row.ts);
            self.out.repair(RepairKind::MissingExit, 1, place, || {
                "it ends a rounding error behind the slice around it".to_owned()
            });
        }
        self.begin(row, Some((end.min(room), row.thread_end())));
    }

    /// Puts a slice that crosses the end of another one on a separate lane.
    fn begin_overlapping(&mut self, row: &Row, end: i64) {
        self.overlapping += 1;
        if self.overlapping <= MOST_LOGGED {
            self.log_overlap(row, end);
        }
        let name = self.out.intern(b"overlapping");
        let kind = TrackType::ThreadOverlappingSlice;
        let track = self.out.thread_named_track(kind, self.utid, name);
        let cookie = i64::from(row.sequence);
        let slice = self
            .lanes
            .begin(self.out, LaneKey { track, cookie }, row.begin());
        if row.thread_dur != NO_DURATION {
            self.out.set_slice_thread_dur(slice, row.thread_dur);
        }
        self.crossing.push(Reverse((end, cookie, track)));
        self.bind(row, slice);
    }

    /// Logs a slice that crosses the ends of others, together with the innermost of those.
    fn log_overlap(&mut self, row: &Row, end: i64) {
        let crosses = |open: &&Open| open.own_end.saturating_add(self.rounding) < end;
        let Some(open) = self.open.iter().rev().take(MOST_COMPARED).find(crosses) else {
            return;
        };
        let ts = self.out.trace().slices.ts.get(open.slice.row());
        let conflict = [
            ("overlap_start", ArgValue::Int(row.ts)),
            ("overlap_end", ArgValue::Int(open.own_end)),
            ("conflicting_slice_name", ArgValue::Text(open.name)),
            ("conflicting_slice_ts", ArgValue::Int(ts)),
            (
                "conflicting_slice_dur",
                ArgValue::Int(open.own_end.saturating_sub(ts)),
            ),
        ];
        import_log::overlap(row, &conflict, self.out);
    }

    /// Adds the flows that end at this slice, those in its own fields, and its stacks.
    fn bind(&mut self, row: &Row, slice: SliceId) {
        self.stacks.begin(row, slice);
        while let Some(arriving) = self.arriving.pop_front_if(|flow| flow.is_before(row)) {
            self.flows.point(arriving.key, row.ts, slice, (true, false));
        }
        let (comes_in, goes_out) = (row.flags & FLOW_IN != 0, row.flags & FLOW_OUT != 0);
        if comes_in || goes_out {
            let key = FlowKey::bound(row.id);
            self.flows.point(key, row.ts, slice, (comes_in, goes_out));
        }
    }

    fn flow(&mut self, row: &Row) {
        let key = FlowKey {
            id: row.id,
            name: row.name,
            category: row.category,
        };
        if row.is_waiting() {
            return self.arriving.push_back(Arriving::new(row, key));
        }
        let open = self.open.last().map(|open| open.slice);
        let slice = self.ended.around(row).or(open);
        let slice = slice.or(self.moments.near(row));
        let Some(slice) = slice.or(self.ended.before(row)) else {
            let place = Place::default().with_ts(row.ts);
            return self.out.repair(RepairKind::BadField, 1, place, || {
                "a flow outside of any slice".to_owned()
            });
        };
        let ends = (row.phase != b's', row.phase != b'f');
        self.flows.point(key, row.ts, slice, ends);
    }

    /// Adds an instant. Samples, objects, memory dumps and contexts also become instants.
    fn instant(&mut self, row: &Row) {
        let kind = match row.phase {
            b'P' => &b"samples"[..],
            b'N' | b'O' | b'D' => b"objects",
            b'V' | b'v' => b"memory dumps",
            b'(' | b')' => b"contexts",
            b'i' | b'I' | b'R' => b"",
            _ => b"other events",
        };
        let kind = self.out.intern(kind);
        let track = match (self.utid.some(), row.upid.some()) {
            (Some(_), _) if kind.is_empty() => self.track(),
            (Some(utid), _) => self
                .out
                .thread_named_track(TrackType::ThreadSlice, utid, kind),
            (None, Some(upid)) if kind == StringId::EMPTY => {
                self.out
                    .process_track(TrackType::ChromeProcessInstant, upid, kind)
            }
            (None, Some(upid)) => self.out.process_track(TrackType::ProcessSlice, upid, kind),
            (None, None) if kind == StringId::EMPTY => self
                .out
                .global_track(TrackType::LegacyChromeGlobalInstants, kind),
            (None, None) => self.out.global_track(TrackType::GlobalSlice, kind),
        };
        let instant = self.out.instant(track, row.ts, row.name, row.args);
        self.stacks.begin(row, instant);
        if row.thread_ts != NO_DURATION {
            self.out.set_slice_thread_ts(instant, row.thread_ts);
        }
        if self.track == Some(track) {
            self.moments.add(row, instant);
        }
    }
}
