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
use crate::ftrace::hitrace;
use crate::ftrace::marker::{COOKIE, CUT_LENGTH};

/// The argument with the further columns of hitrace: a category and pairs of keys and values.
const DETAILS: &str = "details";

impl Interpreter {
    #[inline]
    pub(super) fn mark(&mut self, at: At, mark: Mark<'_>, out: &mut TraceBuilder) {
        match mark {
            Mark::Begin { pid, name } => {
                self.threads.learn_tgid(at.slot, pid, out);
                let track = self.threads.track(at.slot, out);
                let columns = hitrace::columns(name);
                let id = self.mark_name(at, columns.name, pid, out);
                let begin = SliceBegin::named(at.ts, id);
                let begin = detailed(begin, &columns, None, out);
                out.begin_slice(track, begin);
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
    fn cookie_arg(&mut self, cookie: Cookie<'_>, out: &mut TraceBuilder) -> (StringId, ArgValue) {
        out.intern_cached(&mut self.cookie_key, COOKIE.as_bytes());
        let value = match cookie {
            Cookie::Number(number) => ArgValue::Int(number),
            Cookie::Text(text) => ArgValue::Text(out.intern(text)),
        };
        (self.cookie_key, value)
    }

    fn uncommon_marker(&mut self, at: At, mark: Mark<'_>, out: &mut TraceBuilder) {
        match mark {
            Mark::AsyncBegin {
                pid,
                track,
                name,
                cookie,
            } => {
                let columns = hitrace::async_columns(name);
                let key = self.async_key(at, (pid, track, columns.name), cookie, out);
                let open = self.lanes.open_slice(out, key);
                if let Some(open) = open.filter(|_| track.is_none()) {
                    out.saw_time(at.ts);
                    return self.repeats.add(key, open, at.ts);
                }
                let name = self.mark_name(at, columns.name, pid, out);
                let begin = SliceBegin::named(at.ts, name);
                let cookie = Some(self.cookie_arg(cookie, out));
                let begin = detailed(begin, &columns, cookie, out);
                self.lanes.nest(out, key, begin);
            }
            Mark::AsyncEnd {
                pid,
                track,
                name,
                cookie,
            } => {
                out.saw_time(at.ts);
                let name = hitrace::async_columns(name).name;
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

/// Adds the arguments of a slice: its cookie, and the columns that only hitrace has.
#[inline]
fn detailed(
    begin: SliceBegin,
    columns: &hitrace::Columns<'_>,
    cookie: Option<(StringId, ArgValue)>,
    out: &mut TraceBuilder,
) -> SliceBegin {
    if columns.level.is_empty() && cookie.is_none() {
        return begin;
    }
    let details = (!columns.details.is_empty()).then(|| {
        let key = out.intern(DETAILS.as_bytes());
        (key, ArgValue::Text(out.intern(columns.details)))
    });
    SliceBegin {
        category: out.intern_unless_empty(columns.level),
        arg_set_id: out.args(cookie.into_iter().chain(details)),
        ..begin
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

#[cfg(test)]
mod tests {
    use traceloom_trace::{NO_DURATION, RepairKind};

    use crate::{ReadOptions, read_bytes};

    /// As in the examples of OpenHarmony's documentation.
    #[test]
    fn hitrace_has_levels_categories_and_pairs() {
        let marks = [
            "S|7|H:load|1001|M62|net|k=v",
            "S|7|H:load|1002|M62",
            "B|7|H:draw|M62|k=v",
            "E|7|M62",
            "F|7|H:load|1001|M62",
            "F|7|H:load|1002|M62",
            "C|7|H:depth 3",
        ];
        let line = |(n, mark): (usize, &&str)| {
            format!(
                "          app-7     (    7) [000] .... 1.00000{n}: tracing_mark_write: {mark}\n"
            )
        };
        let text: String = marks.iter().enumerate().map(line).collect();
        let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
        let slices = trace.slices.rows().map(|row| {
            let [name, category] = [row.name, row.category].map(|id| trace.strings.get(id));
            let args = trace.args.set(row.arg_set_id);
            let args = args.map(|(_, value)| value.display(&trace.strings));
            let args = args.collect::<Vec<_>>().join(" ");
            assert_ne!(row.dur, NO_DURATION);
            format!("{name} {category} {} {args}", row.dur)
        });
        let expected = [
            "H:load M62 4000 1001 net|k=v",
            "H:load M62 4000 1002",
            "H:draw M62 1000 k=v",
        ];
        assert_eq!(slices.collect::<Vec<_>>(), expected);
        assert_eq!(trace.counters.value.get(0), 3.0);
        assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 0);
    }
}
