//! Marks of programs: slices, counters, asynchronous slices and clock markers.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use traceloom_trace::{
    ArgSetId, ArgValue, LaneKey, ProcessId, RepairKind, RowId, SliceBegin, StringId, TraceBuilder,
    TrackId, TrackType,
};

use super::clock::clock_mark;
use super::interpreter::Interpreter;
use super::kills;
use super::position::At;
use crate::ftrace::event::{Cookie, CounterValue, Mark};
use crate::ftrace::marker::{COOKIE, CUT_LENGTH};

impl Interpreter {
    #[inline]
    pub(super) fn mark(&mut self, at: At, mark: Mark<'_>, out: &mut TraceBuilder) {
        match mark {
            Mark::Begin { pid, name } => {
                self.threads.learn_tgid(at.slot, pid, out);
                let track = self.threads.track(at.slot, out);
                let id = self.mark_name(at, name, pid, out);
                out.begin_slice(track, SliceBegin::named(at.ts, id));
                kills::section(at, name, out);
            }
            Mark::End { pid } => {
                self.threads.learn_tgid(at.slot, pid, out);
                let track = self.threads.track(at.slot, out);
                if out.end_slice(track, at.ts, None).is_none() {
                    self.history.unmatched(at);
                }
            }
            Mark::Counter {
                pid,
                name,
                value,
                category,
            } => {
                let track = self.counter_track(at, pid, name, out);
                if !category.is_empty() {
                    let category = out.intern(category);
                    out.categorize_track(track, category);
                }
                kills::counter(at, name, value, out);
                match value {
                    CounterValue::Whole(value) => out.whole_counter(track, at.ts, value),
                    CounterValue::Float(value) => out.counter(track, at.ts, value),
                }
            }
            other => self.uncommon_marker(at, other, out),
        }
    }

    /// Interns a name. It is counted as truncated if it fills its message.
    #[inline]
    fn mark_name(&mut self, at: At, name: &[u8], pid: i32, out: &mut TraceBuilder) -> StringId {
        // The letter, two bars and the number come before the name.
        let before = 3 + (pid.max(1).ilog10() + 1) as usize;
        let length = name.len() + before;
        if length == CUT_LENGTH || length > CUT_LENGTH && !self.marks_are_whole {
            out.repair(RepairKind::NameCut, 1, at.place(), || {
                String::from_utf8_lossy(&name[..80]).into_owned()
            });
        }
        out.intern(name)
    }

    /// The process of a marker. If the line has a column for it, that one is used, because the
    /// number in the marker may be from another pid namespace.
    fn mark_process(&mut self, at: At, pid: i32, out: &mut TraceBuilder) -> ProcessId {
        self.threads.learn_tgid(at.slot, pid, out);
        let slot = self.threads.slot(at.slot);
        if (slot.tgid_from_column || pid <= 0)
            && let Some(upid) = self.threads.process(at.slot, out)
        {
            return upid;
        }
        out.process(pid.into())
    }

    fn counter_track(&mut self, at: At, pid: i32, name: &[u8], out: &mut TraceBuilder) -> TrackId {
        if let Some(kind) = device_counter(name) {
            let name = out.intern(name);
            return out.global_track(kind, name);
        }
        let upid = self.mark_process(at, pid, out);
        // The kernel's process counters are written as marks, so marks with their names are read as these counters.
        let kind = std::str::from_utf8(name).map_or(TrackType::AtraceCounter, |name| {
            TrackType::AtraceCounter.named(name)
        });
        let name = out.intern(name);
        out.process_track(kind, upid, name)
    }

    fn async_key(
        &mut self,
        at: At,
        (pid, track, name): (i32, Option<&[u8]>, &[u8]),
        cookie: Cookie<'_>,
        out: &mut TraceBuilder,
    ) -> LaneKey {
        let upid = self.mark_process(at, pid, out);
        let (kind, name) = match track {
            Some(track) => (TrackType::AtraceAsyncSliceForTrack, track),
            None => (TrackType::AtraceAsyncSlice, name),
        };
        let name = out.intern(name);
        let track = out.process_track(kind, upid, name);
        let cookie = cookie_number(cookie);
        LaneKey { track, cookie }
    }

    /// The argument that distinguishes an asynchronous slice from others of the same name.
    fn cookie_arg(&mut self, cookie: Cookie<'_>, out: &mut TraceBuilder) -> ArgSetId {
        out.intern_cached(&mut self.cookie_key, COOKIE.as_bytes());
        let value = match cookie {
            Cookie::Number(number) => ArgValue::Int(number),
            Cookie::Text(text) => ArgValue::Text(out.intern(text)),
        };
        out.args([(self.cookie_key, value)])
    }

    fn uncommon_marker(&mut self, at: At, mark: Mark<'_>, out: &mut TraceBuilder) {
        match mark {
            Mark::AsyncBegin {
                pid,
                track,
                name,
                cookie,
            } => {
                let key = self.async_key(at, (pid, track, name), cookie, out);
                let open = self.lanes.open_slice(out, key);
                if let Some(open) = open.filter(|_| track.is_none()) {
                    out.saw_time(at.ts);
                    return self.repeats.add(key, open, at.ts);
                }
                let name = self.mark_name(at, name, pid, out);
                let begin = SliceBegin {
                    arg_set_id: self.cookie_arg(cookie, out),
                    ..SliceBegin::named(at.ts, name)
                };
                self.lanes.nest(out, key, begin);
            }
            Mark::AsyncEnd {
                pid,
                track,
                name,
                cookie,
            } => {
                out.saw_time(at.ts);
                let key = self.async_key(at, (pid, track, name), cookie, out);
                match self.lanes.end(out, key, at.ts) {
                    Some(_) => self.repeats.end(key, out),
                    None => self.history.unmatched(at),
                }
            }
            Mark::Instant { pid, track, name } => {
                let track = match track {
                    None => {
                        self.threads.learn_tgid(at.slot, pid, out);
                        self.threads.track(at.slot, out)
                    }
                    Some(track @ b"DeviceStateChanged") => {
                        let track = out.intern(track);
                        out.global_track(TrackType::AndroidDeviceState, track)
                    }
                    Some(track) => {
                        let upid = self.mark_process(at, pid, out);
                        let track = out.intern(track);
                        out.process_track(TrackType::AtraceAsyncSliceForTrack, upid, track)
                    }
                };
                let name = self.mark_name(at, name, pid, out);
                out.instant(track, at.ts, name, ArgSetId::NONE);
            }
            Mark::Text { text } => {
                let track = self.threads.track(at.slot, out);
                let name = out.intern(text);
                out.instant(track, at.ts, name, ArgSetId::NONE);
            }
            // A sync point does not extend the bounds of the trace.
            other => clock_mark(at.place(), other, out),
        }
    }
}

/// The type of a counter that describes the whole device, though a process writes it. System properties have the same
/// counters.
fn device_counter(name: &[u8]) -> Option<TrackType> {
    if name == b"ScreenState" {
        return Some(TrackType::ScreenState);
    }
    let is_battery = name.starts_with(b"battery_stats.");
    is_battery.then_some(TrackType::BatteryStats)
}

/// The number that identifies a cookie: its own, or the hash of a text.
fn cookie_number(cookie: Cookie<'_>) -> i64 {
    match cookie {
        Cookie::Number(number) => number,
        Cookie::Text(text) => {
            let mut hasher = FxHasher::default();
            hasher.write(text);
            hasher.finish() as i64
        }
    }
}
