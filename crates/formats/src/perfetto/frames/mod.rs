//! The frame timeline of Android: when SurfaceFlinger expected each frame, when it was presented, and its jank verdict.
//!
//! ```text
//! app             expected   |-- 12 --|          a surface frame; its token is its name
//!                 actual     |--- 12 ----|
//!                                        \       an arrow to the display frame that showed it
//! SurfaceFlinger  actual                  |-- 15 --|
//! ```
//! A start event has a cookie. The end event has only the same cookie.

mod args;
mod jank;
mod start;

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{
    AsyncLanes, FlowRow, LaneKey, NO_NUMBER, Place, ProcessId, RepairKind, SliceBegin, SliceId,
    StringId, TraceBuilder, TrackType,
};

use super::tasks;
use super::wire::{Fields, Value};
use start::{Start, slot};

/// Converts frame timeline events to slices and flows.
#[derive(Debug, Default)]
pub(super) struct Frames {
    lanes: AsyncLanes,
    /// The open slices, by cookie.
    open: FxHashMap<i64, LaneKey>,
    /// The expected surface frames so far. Several surfaces share one, so it is added only once.
    expected: FxHashSet<(ProcessId, i64)>,
    /// The surface frames that wait for their display frame, by the token of the display frame.
    waiting: FxHashMap<i64, Vec<SliceId>>,
    incomplete: u64,
    unmatched: u64,
}

/// Timestamps beyond this are mistakes of the device.
const LAST_TIME: i64 = i64::MAX - 10_000_000_000;

impl Frames {
    /// A `FrameTimelineEvent`.
    pub fn event(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        if !(0..LAST_TIME).contains(&ts) {
            self.incomplete += 1;
            return;
        }
        for field in fields {
            match (field.number, field.value) {
                (number @ 1..=4, Value::Bytes(bytes)) => {
                    let is_surface = number > 2;
                    let start = Start::read(Fields::new(bytes), is_surface);
                    self.start(ts, &start, number % 2 == 0, out);
                }
                (5, Value::Bytes(bytes)) => self.end(ts, Fields::new(bytes), out),
                _ => {}
            }
        }
    }

    /// Begins an expected or actual frame.
    fn start(&mut self, ts: i64, start: &Start<'_>, is_actual: bool, out: &mut TraceBuilder) {
        let (Some(cookie), Some(token), Some(pid)) = (
            start.int(slot::COOKIE),
            start.int(slot::TOKEN),
            start.int(slot::PID),
        ) else {
            self.incomplete += 1;
            return;
        };
        let display_token = start.int(slot::DISPLAY_TOKEN);
        if start.is_surface && display_token.is_none() {
            self.incomplete += 1;
            return;
        }
        let upid = tasks::process_and_leader((pid as u32).into(), out);
        let (kind, name) = if is_actual {
            (TrackType::AndroidActualFrameTimeline, "Actual Timeline")
        } else {
            (TrackType::AndroidExpectedFrameTimeline, "Expected Timeline")
        };
        let name = out.intern(name.as_bytes());
        let track = out.process_track(kind, upid, name);
        let key = LaneKey { track, cookie };
        self.open.insert(cookie, key);
        if start.is_surface && !is_actual && !self.expected.insert((upid, token)) {
            return;
        }
        let name = out.intern(token.to_string().as_bytes());
        let begin = SliceBegin {
            arg_set_id: args::store(start, is_actual, out),
            ..SliceBegin::named(ts, name)
        };
        let slice = self.lanes.begin(out, key, begin);
        match display_token {
            Some(token) if is_actual => self.waiting.entry(token).or_default().push(slice),
            None if is_actual => self.shown(token, slice, out),
            _ => {}
        }
    }

    /// Connects a display frame with the surface frames that it shows.
    fn shown(&mut self, token: i64, slice_in: SliceId, out: &mut TraceBuilder) {
        for slice_out in self.waiting.remove(&token).unwrap_or_default() {
            out.flow(FlowRow {
                slice_out,
                slice_in,
                name: StringId::NULL,
                trace_id: NO_NUMBER,
            });
        }
    }

    fn end(&mut self, ts: i64, mut fields: Fields<'_>, out: &mut TraceBuilder) {
        let Some(cookie) = fields.find(|field| field.number == 1) else {
            self.incomplete += 1;
            return;
        };
        match self.open.remove(&cookie.int()) {
            // An expected frame that was already added for another surface has no slice of its own.
            Some(key) => _ = self.lanes.end(out, key, ts),
            None => self.unmatched += 1,
        }
    }

    /// Reports problems.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::UnmatchedEnd, self.unmatched, place, || {
            "a frame of the frame timeline".to_owned()
        });
        out.repair(RepairKind::SkippedEntry, self.incomplete, place, || {
            "events of the frame timeline without a cookie, token or process, or at an impossible time"
                .to_owned()
        });
    }
}
