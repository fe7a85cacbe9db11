//! Activity of Perfetto's own programs while they recorded or read a trace (`PerfettoMetatrace`), as slices and
//! counters of their threads.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, ArgValue, Place, RepairKind, SliceBegin, StringId, ThreadId, TraceBuilder, TrackId,
    TrackType,
};

use super::wire::{Field, Fields};

/// The names of the recorder's events, by number (`metatrace_events.h` of google/perfetto).
#[rustfmt::skip]
const EVENTS: [&str; 39] = [
    "EVENT_ZERO_UNUSED", "FTRACE_CPU_READER_READ", "FTRACE_DRAIN_CPUS", "FTRACE_UNBLOCK_READERS",
    "FTRACE_CPU_READ_NONBLOCK", "FTRACE_CPU_READ_BLOCK", "FTRACE_CPU_SPLICE_NONBLOCK", "FTRACE_CPU_SPLICE_BLOCK",
    "FTRACE_CPU_WAIT_CMD", "FTRACE_CPU_RUN_CYCLE", "FTRACE_CPU_FLUSH", "FTRACE_CPU_BUFFER_WATERMARK", "READ_SYS_STATS",
    "PS_WRITE_ALL_PROCESSES", "PS_ON_PIDS", "PS_ON_RENAME_PIDS", "PS_WRITE_ALL_PROCESS_STATS",
    "TRACE_WRITER_COMMIT_STARTUP_WRITER_BATCH", "FTRACE_READ_TICK", "FTRACE_CPU_READ_CYCLE", "FTRACE_CPU_READ_BATCH",
    "KALLSYMS_PARSE", "PROFILER_READ_TICK", "PROFILER_READ_CPU", "PROFILER_UNWIND_TICK", "PROFILER_UNWIND_SAMPLE",
    "PROFILER_UNWIND_INITIAL_ATTEMPT", "PROFILER_UNWIND_ATTEMPT", "PROFILER_MAPS_PARSE", "PROFILER_MAPS_REPARSE",
    "PROFILER_UNWIND_CACHE_CLEAR", "ANDROID_CPU_PER_UID_TICK", "ANDROID_KERNEL_WAKELOCKS_TICK", "ANDROID_POWER_TICK",
    "ANDROID_POWER_WRITE_BATTERY_COUNTERS", "ANDROID_POWER_WRITE_ENERGY_ESTIMATION_BREAKDOWN",
    "ANDROID_POWER_WRITE_ENTITY_STATE_RESIDENCY", "ANDROID_POWER_WRITE_POWER_RAILS_DATA", "LINUX_POWER_SYSFS_TICK",
];

/// The names of the recorder's counters, by number.
#[rustfmt::skip]
const COUNTERS: [&str; 12] = [
    "COUNTER_ZERO_UNUSED", "FTRACE_PAGES_DRAINED", "PS_PIDS_SCANNED", "TRACE_SERVICE_COMMIT_DATA",
    "PROFILER_UNWIND_QUEUE_SZ", "PROFILER_UNWIND_CURRENT_PID", "WATCHDOG_CRASH_REASON", "WATCHDOG_CRASH_TIME_BOOT_MS",
    "WATCHDOG_CRASH_ACTUAL_MONO", "WATCHDOG_CRASH_ACTUAL_BOOT", "WATCHDOG_CRASH_ACTUAL_CPU", "FTRACE_SESSIONS",
];

/// Reads metatrace packets.
#[derive(Debug, Default)]
pub(super) struct Metatrace {
    /// Interned strings by iid.
    texts: FxHashMap<u64, StringId>,
    /// The ends of the open slices of each track, innermost last.
    ends: FxHashMap<TrackId, Vec<i64>>,
}

impl Metatrace {
    /// Reads a `PerfettoMetatrace`.
    pub fn packet(&mut self, ts: i64, packet: &[u8], out: &mut TraceBuilder) {
        let (mut event, mut counter) = (None, None);
        let (mut dur_ns, mut value, mut utid) = (0, 0, ThreadId::IDLE);
        self.intern(packet, out);
        for field in Fields::new(packet) {
            match field.number {
                1 => event = Some(numbered(&EVENTS, "Event", field, out)),
                2 => counter = Some(numbered(&COUNTERS, "Counter", field, out)),
                3 => dur_ns = field.int(),
                4 => value = field.int32(),
                5 => utid = out.thread(field.int()),
                6 if field.bool() => overrun(out),
                8 => event = Some(out.intern(field.bytes())),
                9 => counter = Some(out.intern(field.bytes())),
                11 => event = Some(self.text(field, out)),
                _ => {}
            }
        }
        if let Some(name) = event {
            let args = self.args(packet, out);
            let begin = SliceBegin {
                arg_set_id: args,
                category: out.intern(b"metatrace"),
                ..SliceBegin::named(ts, name)
            };
            self.slice(out.thread_track(utid), begin, dur_ns, out);
        } else if let Some(name) = counter {
            let track = out.thread_named_track(TrackType::MetatraceCounter, utid, name);
            out.whole_counter(track, ts, value.into());
        }
    }

    fn intern(&mut self, packet: &[u8], out: &mut TraceBuilder) {
        for text in Fields::new(packet).filter(|field| field.number == 10) {
            let part = |number| text.fields().find(|field| field.number == number);
            if let (Some(iid), Some(value)) = (part(1), part(2)) {
                self.texts.insert(iid.uint(), out.intern(value.bytes()));
            }
        }
    }

    fn text(&self, iid: Field<'_>, out: &mut TraceBuilder) -> StringId {
        let known = self.texts.get(&iid.uint()).copied();
        known.unwrap_or_else(|| out.intern(b"MISSING STRING"))
    }

    /// The arguments. Arguments with the same key become the items of a list.
    fn args(&self, packet: &[u8], out: &mut TraceBuilder) -> ArgSetId {
        let mut args: Vec<(StringId, StringId)> = Vec::new();
        for arg in Fields::new(packet).filter(|field| field.number == 7) {
            let mut pair = (StringId::NULL, StringId::NULL);
            for field in arg.fields() {
                match field.number {
                    1 => pair.0 = out.intern(field.bytes()),
                    2 => pair.1 = out.intern(field.bytes()),
                    3 => pair.0 = self.text(field, out),
                    4 => pair.1 = self.text(field, out),
                    _ => {}
                }
            }
            args.push(pair);
        }
        args.sort_by_key(|(key, _)| *key);
        let mut list = Vec::new();
        for same in args.chunk_by(|a, b| a.0 == b.0) {
            for (item, (key, value)) in same.iter().enumerate() {
                let key = match same.len() {
                    1 => *key,
                    _ => {
                        let key = out.trace().strings.get(*key).to_owned();
                        out.intern(format!("{key}[{item}]").as_bytes())
                    }
                };
                list.push((key, ArgValue::Text(*value)));
            }
        }
        out.args(list)
    }

    /// Begins a slice. It stays open, so that other slices can be nested in it.
    fn slice(&mut self, track: TrackId, begin: SliceBegin, dur_ns: i64, out: &mut TraceBuilder) {
        self.close_until(track, begin.ts, out);
        let ends = self.ends.entry(track).or_default();
        let around = ends.last().copied().unwrap_or(i64::MAX);
        let end = begin.ts.saturating_add(dur_ns.max(0));
        ends.push(end.min(around));
        let place = Place::default().with_ts(begin.ts);
        out.repair(RepairKind::BadField, (end > around).into(), place, || {
            "a metatrace event that ends after the one around it".to_owned()
        });
        out.begin_slice(track, begin);
    }

    fn close_until(&mut self, track: TrackId, ts: i64, out: &mut TraceBuilder) {
        let ends = self.ends.entry(track).or_default();
        while let Some(end) = ends.pop_if(|end| *end <= ts) {
            out.end_slice(track, end, None);
        }
    }

    /// Ends the open slices.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        let mut tracks: Vec<TrackId> = self.ends.keys().copied().collect();
        tracks.sort_unstable();
        for track in tracks {
            self.close_until(track, i64::MAX, out);
        }
    }
}

/// The name for a number; a generic name if the number is unknown.
fn numbered(names: &[&str], kind: &str, field: Field<'_>, out: &mut TraceBuilder) -> StringId {
    let number = field.uint();
    let place = usize::try_from(number).ok();
    match place.and_then(|place| names.get(place)) {
        Some(name) => out.intern(name.as_bytes()),
        None => out.intern(format!("{kind} {number}").as_bytes()),
    }
}

fn overrun(out: &mut TraceBuilder) {
    out.repair(RepairKind::LostEvents, 1, Place::default(), || {
        "Perfetto's own programs had more events than their buffer could hold".to_owned()
    });
}
