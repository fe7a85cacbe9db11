//! ATRACE_PROCESS_DUMP: processes, their threads and their memory, sampled every few seconds during
//! a systrace (`--process-dump`).
//!
//! ```text
//! ATRACE_PROCESS_DUMP
//! {"clock_sync_markers":{"very-unique-id": 21917568},               ms of CLOCK_MONOTONIC
//!  "dump":{"start_ts":"21917568","snapshots":[
//!    {"ts":"21917568","meminfo":{"MemTotal":1848224, …}},           KB, ten times a second
//!    {"ts":"21917570","memdump":{"788":{"vm":2629440,"rss":249348,  KB, of each process
//!       "oom_sc":0,"oom_sc_adj":-900,"min_flt":15,"maj_flt":5,"utime":83,"stime":11,
//!       "pss":…,"swp":…,"pc":…,"pd":…,"sc":…,"sd":…,                 if requested
//!       "gpu_egl":…,"gpu_egl_pss":…,…, "mmaps":[{"vm":"a1000-a5000","file":"foo","flags":"rw-s",…}]}}}],
//!   "processes":{"788":{"name":"system_server","exe":"…","threads":{"793":{"name":"Signal Catcher"}}}}}}
//! ```
//! The writer is catapult's `atrace_helper`; the other reader is trace-viewer's
//! `atrace_process_dump_importer`. Values become counters in bytes, with Perfetto's names where
//! Perfetto has one. Within a systrace page, the dump shares the processes of the other blocks. A
//! clock or a marker in both places it on their time line.

#[cfg(test)]
mod tests;
mod torn;
mod used;

use rustc_hash::FxHashSet;
use traceloom_trace::{
    ArgValue, ClockKind, ClockRow, Place, ProcessId, RepairKind, RowId, SourceId, StringId,
    TraceBuilder, TrackType,
};

use super::tasks;
use crate::json::{Fields, Items, Value};
use torn::closed;
use used::Used;

/// The first line.
pub(crate) const TITLE: &[u8] = b"ATRACE_PROCESS_DUMP";

const NS_PER_MS: i64 = 1_000_000;
const BYTES_PER_KB: f64 = 1024.0;

/// The maximum number of counters for the machine. No kernel's `/proc/meminfo` has that many lines,
/// and each line becomes a counter.
const MOST_MACHINE_COUNTERS: usize = 512;

/// Keys for a process's memory, in KB, and the names of their counters.
const SIZES: &[(&[u8], &str)] = &[
    (b"vm", "mem.virt"),
    (b"rss", "mem.rss"),
    (b"pss", "mem.pss"),
    (b"swp", "mem.swap"),
    (b"pc", "mem.private_clean"),
    (b"pd", "mem.private_dirty"),
    (b"sc", "mem.shared_clean"),
    (b"sd", "mem.shared_dirty"),
    (b"gpu_egl", "mem.gpu.egl"),
    (b"gpu_egl_pss", "mem.gpu.egl_pss"),
    (b"gpu_gl", "mem.gpu.gl"),
    (b"gpu_gl_pss", "mem.gpu.gl_pss"),
    (b"gpu_etc", "mem.gpu.other"),
    (b"gpu_etc_pss", "mem.gpu.other_pss"),
];

/// Keys of a process that are not sizes.
const COUNTS: &[(&[u8], &str)] = &[
    (b"oom_sc", "oom_score"),
    (b"oom_sc_adj", "oom_score_adj"),
    (b"min_flt", "min_flt"),
    (b"maj_flt", "maj_flt"),
    // Clock ticks since the process started.
    (b"utime", "utime"),
    (b"stime", "stime"),
];

/// Reads a dump.
pub(super) fn read(text: &[u8], out: &mut TraceBuilder) {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(TITLE).unwrap_or(text).trim_ascii();
    let (text, torn) = closed(text);
    let clocks = clocks(&text);
    let known = out.align_clocks(&clocks);
    let mut dump = Dump {
        shift_ns: known.as_ref().map_or(0, |known| known.shift_ns),
        broken: u64::from(torn),
        machine: FxHashSet::default(),
        beyond: 0,
        out,
    };
    if known.is_none() {
        dump.alone(clocks);
    }
    dump.fields(&text, |dump, key, value| {
        if key == b"dump" {
            dump.dump(&value);
        }
    });
    let (broken, beyond) = (dump.broken, dump.beyond);
    out.repair(RepairKind::BeyondLimit, beyond, Place::default(), || {
        "too many lines of /proc/meminfo".to_owned()
    });
    out.repair(RepairKind::TornRecord, broken, Place::default(), || {
        "the dump's JSON breaks off".to_owned()
    });
}

/// The time of each marker, and a row that states that all times are on `CLOCK_MONOTONIC`, with its precision.
fn clocks(text: &[u8]) -> Vec<ClockRow> {
    let mut rows = Vec::new();
    let row = |ts: i64, clock: ClockKind, name: &[u8]| ClockRow {
        source: SourceId::NONE,
        clock,
        ts,
        value_ns: ts,
        precision_ns: NS_PER_MS,
        name: String::from_utf8_lossy(name).into_owned(),
    };
    for (key, value) in Fields::new(text) {
        let fields = value.fields();
        match &*key {
            b"clock_sync_markers" => rows.extend(
                fields.filter_map(|(name, at)| Some(row(millis(&at)?, ClockKind::Trace, &name))),
            ),
            b"dump" => rows.extend(
                fields
                    .filter(|(key, _)| **key == *b"start_ts")
                    .filter_map(|(_, at)| Some(row(millis(&at)?, ClockKind::Monotonic, b""))),
            ),
            _ => {}
        }
    }
    rows
}

fn millis(value: &Value<'_>) -> Option<i64> {
    let text = std::str::from_utf8(value.text()?).ok()?;
    text.parse::<i64>().ok()?.checked_mul(NS_PER_MS)
}

/// The state while a dump is read.
struct Dump<'o> {
    /// The offset that is added to the times of the dump, ns.
    shift_ns: i64,
    /// The number of incomplete values.
    broken: u64,
    /// The machine's counters so far.
    machine: FxHashSet<StringId>,
    /// The number of values of further counters, beyond [`MOST_MACHINE_COUNTERS`].
    beyond: u64,
    out: &'o mut TraceBuilder,
}

impl Dump<'_> {
    /// Handles a dump that has no clock in common with anything read so far. If there are other blocks, the dump starts
    /// when they start, and a repair is counted. Otherwise its clock becomes the trace's clock.
    fn alone(&mut self, clocks: Vec<ClockRow>) {
        let start = clocks.iter().find(|row| row.clock == ClockKind::Monotonic);
        let start_ns = start.map_or(0, |row| row.ts);
        match self.out.first_ts() {
            Some(first) => {
                self.shift_ns = first.saturating_sub(start_ns);
                let place = Place::default().with_ts(first);
                self.out.repair(RepairKind::BadClockSync, 1, place, || {
                    "the process dump has no clock in common with the trace; it is placed at its start"
                        .to_owned()
                });
            }
            None => clocks.into_iter().for_each(|row| self.out.clock(row)),
        }
    }

    fn fields(&mut self, text: &[u8], mut each: impl FnMut(&mut Self, &[u8], Value<'_>)) {
        let mut fields = Fields::new(text);
        for (key, value) in fields.by_ref() {
            each(self, &key, value);
        }
        self.broken += u64::from(fields.is_broken());
    }

    fn fields_of(&mut self, value: &Value<'_>, each: impl FnMut(&mut Self, &[u8], Value<'_>)) {
        if let Value::Nested(text) = value {
            self.fields(text, each);
        }
    }

    fn items_of(&mut self, value: &Value<'_>, mut each: impl FnMut(&mut Self, Value<'_>)) {
        let Value::Nested(text) = value else { return };
        let mut items = Items::new(text);
        for item in items.by_ref() {
            each(self, item);
        }
        self.broken += u64::from(items.is_broken());
    }

    fn dump(&mut self, value: &Value<'_>) {
        self.fields_of(value, |this, key, value| match key {
            b"snapshots" => this.items_of(&value, Self::snapshot),
            b"processes" => this.fields_of(&value, |this, pid, about| {
                if let Some(pid) = number(pid) {
                    this.process(pid, &about);
                }
            }),
            _ => {}
        });
    }

    fn snapshot(&mut self, value: Value<'_>) {
        let time = value.fields().find(|(key, _)| **key == *b"ts");
        let Some(ts) = time.and_then(|(_, at)| millis(&at)) else {
            self.broken += 1;
            return;
        };
        let ts = ts.saturating_add(self.shift_ns);
        self.fields_of(&value, |this, key, value| match key {
            b"meminfo" => this.machine(ts, &value),
            b"memdump" => this.fields_of(&value, |this, pid, memory| {
                if let Some(pid) = number(pid) {
                    this.memory(ts, pid, &memory);
                }
            }),
            _ => {}
        });
    }

    /// Counters from `/proc/meminfo`, and the sums that `dumpsys meminfo` calls used and swapped.
    fn machine(&mut self, ts: i64, value: &Value<'_>) {
        let mut used = Used::default();
        self.fields_of(value, |this, key, value| {
            if let Some(kb) = value.number() {
                used.add(key, kb);
                this.machine_counter(ts, key, kb);
            }
        });
        if let Some((used, swapped)) = used.sums() {
            self.machine_counter(ts, b"mem.used", used);
            self.machine_counter(ts, b"mem.swapped", swapped);
        }
    }

    fn machine_counter(&mut self, ts: i64, name: &[u8], kb: f64) {
        let name = self.out.intern(name);
        if self.machine.len() >= MOST_MACHINE_COUNTERS && !self.machine.contains(&name) {
            self.beyond += 1;
            return;
        }
        self.machine.insert(name);
        let track = self.out.global_track(TrackType::GlobalCounter, name);
        self.out.counter(track, ts, kb * BYTES_PER_KB);
    }

    fn memory(&mut self, ts: i64, pid: i64, value: &Value<'_>) {
        let upid = self.out.process(pid);
        self.fields_of(value, |this, key, value| {
            let named = |list: &[(&[u8], &'static str)]| {
                let found = list.iter().find(|(listed, _)| *listed == key);
                found.map(|&(_, name)| name)
            };
            match (named(SIZES), named(COUNTS), value.number()) {
                (Some(name), _, Some(kb)) => this.counter(ts, upid, name, kb * BYTES_PER_KB),
                (_, Some(name), Some(count)) => this.counter(ts, upid, name, count),
                _ if key == b"mmaps" => {
                    this.items_of(&value, |this, map| this.map(ts, upid, &map));
                }
                _ => {}
            }
        });
    }

    fn counter(&mut self, ts: i64, upid: ProcessId, name: &str, value: f64) {
        let kind = TrackType::AtraceCounter.named(name);
        let name = self.out.intern(name.as_bytes());
        let track = self.out.process_track(kind, upid, name);
        self.out.counter(track, ts, value);
    }

    /// A memory region: an instant named after its file, with its sizes.
    fn map(&mut self, ts: i64, upid: ProcessId, value: &Value<'_>) {
        let mut name = self.out.intern(b"anonymous");
        let mut args = Vec::new();
        self.fields_of(value, |this, key, value| {
            let Some(text) = value.text() else { return };
            if key == b"file" && !text.is_empty() {
                name = this.out.intern(text);
            } else if let Some(&(_, size)) = SIZES[1..].iter().find(|(listed, _)| *listed == key) {
                let bytes = value.number().unwrap_or(0.0) * BYTES_PER_KB;
                args.push((
                    this.out.intern(size.trim_start_matches("mem.").as_bytes()),
                    ArgValue::Int(bytes as i64),
                ));
            } else {
                let text = ArgValue::Text(this.out.intern(text));
                args.push((this.out.intern(key), text));
            }
        });
        let track = self.out.intern(b"memory maps");
        let track = self
            .out
            .process_track(TrackType::AtraceAsyncSliceForTrack, upid, track);
        let args = self.out.args(args);
        self.out.instant(track, ts, name, args);
    }

    fn process(&mut self, pid: i64, about: &Value<'_>) {
        let Some(name) = name_of(about) else { return };
        tasks::member(pid, pid, self.out);
        let (upid, name) = (self.out.process(pid), self.out.intern(&name));
        self.out.name_process(upid, name);
        self.fields_of(about, |this, key, value| {
            if key == b"threads" {
                this.fields_of(&value, |this, tid, about| this.thread(pid, tid, &about));
            }
        });
    }

    fn thread(&mut self, pid: i64, tid: &[u8], about: &Value<'_>) {
        if let (Some(tid), Some(name)) = (number(tid), name_of(about)) {
            let utid = tasks::member(tid, pid, self.out);
            tasks::name_thread(utid, &name, self.out);
        }
    }
}

fn name_of(about: &Value<'_>) -> Option<Vec<u8>> {
    let (_, name) = about.fields().find(|(key, _)| **key == *b"name")?;
    Some(name.text()?.to_vec()).filter(|name| !name.is_empty())
}

fn number(text: &[u8]) -> Option<i64> {
    let number = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(number).filter(|number| *number >= 0)
}
