//! Turns lines into samples with their stacks.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, ProcessId, RepairKind, StringId, ThreadId, TraceBuilder, TrackId};

use super::facts::fact;
use super::frame::Frame;
use super::line::Head;
use crate::error::ReadError;
use crate::format::{Reader, Target};
use crate::format_id;
use crate::lines::Lines;
use crate::profile::{
    BYTES, Counter, Execution, Mapping, NONE, Named, Sample, Samples, Stacks, Task, add_samples,
    add_stacks,
};

/// Memory limits, as for other formats of samples: bytes for each byte of the text.
const OF_STACKS: usize = 6;
const OF_SAMPLES: usize = 8;
/// The same for any file.
const AT_LEAST: usize = 16 << 20;
/// The memory of a sample with its count, bytes.
const WITH_VALUE: usize = BYTES + 200;

/// The begin of a line between samples: a part of a hardware trace (Intel PT) was lost.
const TRACE_ERROR: &str = "instruction trace error";

#[derive(Default)]
pub(super) struct PerfScriptReader {
    lines: Lines,
    state: Option<State>,
}

impl Reader for PerfScriptReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::PERF_SCRIPT)?;
        out.add_source_bytes(chunk.len() as u64);
        let state = self.state.get_or_insert_with(|| State::new(out));
        state.stacks.add_room(chunk.len() * OF_STACKS);
        state.room += chunk.len() * OF_SAMPLES;
        self.lines.feed(chunk, |line| state.line(line, out));
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::PERF_SCRIPT)?;
        let mut state = self.state.take().unwrap_or_else(|| State::new(out));
        self.lines.finish(|line| state.line(line, out));
        state.finish(out);
        Ok(())
    }
}

/// A sample whose stack is not complete yet.
struct Pending {
    sample: Sample,
    /// From the innermost function to the outermost one.
    frames: Vec<u32>,
    /// Functions that are inlined into the next one.
    inlined: Vec<StringId>,
}

/// An event: its session and its count on each CPU.
struct Event {
    name: StringId,
    session: u32,
    counts: FxHashMap<Option<u32>, (TrackId, u64)>,
}

struct State {
    lines: u64,
    source: StringId,
    stacks: Stacks,
    samples: Samples,
    /// The memory for samples that is left, bytes.
    room: usize,
    events: FxHashMap<String, Event>,
    pending: Option<Pending>,
    beyond: u64,
    tracepoints: u64,
    records: u64,
    source_lines: u64,
}

impl State {
    fn new(out: &mut TraceBuilder) -> Self {
        Self {
            lines: 0,
            // Perfetto's name for this source.
            source: out.intern(b"perf_text"),
            stacks: Stacks::with_room(AT_LEAST),
            samples: Samples::default(),
            room: AT_LEAST,
            events: FxHashMap::default(),
            pending: None,
            beyond: 0,
            tracepoints: 0,
            records: 0,
            source_lines: 0,
        }
    }

    fn line(&mut self, line: &[u8], out: &mut TraceBuilder) {
        self.lines += 1;
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.is_empty() {
            self.end_stack();
        } else if text.starts_with('#') {
            fact(text, out);
        } else if text.trim_start().starts_with(TRACE_ERROR) {
            let place = Place::at_line(self.lines);
            let what = || text.trim_start().to_owned();
            out.repair(RepairKind::LostEvents, 1, place, what);
        } else if let Some(head) = Head::read(text) {
            self.end_stack();
            self.begin(&head, out);
        } else if text.starts_with(char::is_whitespace) && self.pending.is_some() {
            match Frame::read(text) {
                Some(frame) => self.frame(frame, out),
                None => self.source_lines += 1,
            }
        } else {
            self.unread(text.trim_start(), out);
        }
    }

    fn unread(&mut self, text: &str, out: &mut TraceBuilder) {
        const SHOWN: usize = 120;
        let place = Place::at_line(self.lines);
        let end = text.floor_char_boundary(SHOWN.min(text.len()));
        out.repair(RepairKind::UnparsedLine, 1, place, || {
            text[..end].to_owned()
        });
    }

    fn begin(&mut self, head: &Head<'_>, out: &mut TraceBuilder) {
        if let Some(record) = head.rest.strip_prefix("PERF_RECORD_") {
            return self.record(record, head.ts_ns, out);
        }
        if self.room < WITH_VALUE {
            self.beyond += 1;
            return;
        }
        self.room -= WITH_VALUE;
        let execution = Execution {
            cpu: head.cpu,
            ..Execution::default()
        };
        let (session, counters) = self.count(head, out);
        let sample = Sample {
            task: self.task(head, out),
            execution: self.samples.execution(execution),
            session,
            counters,
            ..Sample::at(head.ts_ns, self.source)
        };
        self.pending = Some(Pending {
            sample,
            frames: Vec::new(),
            inlined: Vec::new(),
        });
        match Frame::of_branch(head.rest).or_else(|| Frame::read(head.rest)) {
            Some(frame) => self.frame(frame, out),
            None => self.tracepoints += u64::from(!head.rest.is_empty()),
        }
    }

    /// Another record than a sample, which `--show-…-events` prints.
    fn record(&mut self, record: &str, ts: i64, out: &mut TraceBuilder) {
        if !record.starts_with("LOST") {
            self.records += 1;
            return;
        }
        let count = record.rsplit(' ').next();
        let count = count.and_then(|count| count.parse().ok()).unwrap_or(1);
        let place = Place::at_line(self.lines).with_ts(ts);
        out.repair(RepairKind::LostEvents, count, place, || {
            "samples that the kernel dropped".to_owned()
        });
    }

    fn task(&mut self, head: &Head<'_>, out: &mut TraceBuilder) -> u32 {
        let utid = (head.tid >= 0).then(|| thread(head, out));
        let upid = match head.pid {
            Some(0) => Some(ProcessId::IDLE),
            Some(pid @ 1..) => Some(out.process(pid)),
            _ => None,
        };
        self.samples.task(Task {
            upid,
            utid,
            context: NONE,
        })
    }

    /// Adds the period to the count of an event. Returns the session of the event and the sample's set of values.
    fn count(&mut self, head: &Head<'_>, out: &mut TraceBuilder) -> (u32, u32) {
        if !self.events.contains_key(head.event) {
            let event = Event {
                name: out.intern_unless_empty(head.event.as_bytes()),
                session: self.samples.session(self.source),
                counts: FxHashMap::default(),
            };
            self.events.insert(head.event.to_owned(), event);
        }
        let event = self.events.get_mut(head.event);
        let (Some(event), samples) = (event, &mut self.samples) else {
            return (NONE, NONE);
        };
        let Some(period) = head.period else {
            return (event.session, NONE);
        };
        let (track, count) = event.counts.entry(head.cpu).or_insert_with(|| {
            let counter = Counter {
                track: TrackId::default(),
                session: event.session,
                cpu: head.cpu,
                is_timebase: true,
                unit: StringId::NULL,
                description: StringId::NULL,
            };
            (samples.counter(counter, event.name, out), 0)
        });
        *count = count.saturating_add(period);
        let set = samples.value(head.ts_ns, NONE, (*track, *count), out);
        (event.session, set)
    }

    fn frame(&mut self, frame: Frame<'_>, out: &mut TraceBuilder) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        let name = out.intern(frame.name.as_bytes());
        pending.inlined.push(name);
        if frame.is_inlined() {
            return;
        }
        let mapping = self.stacks.mapping(Mapping {
            name: out.intern_unless_empty(frame.file.as_bytes()),
            end: u64::MAX,
            ..Mapping::default()
        });
        for name in pending.inlined.drain(..) {
            let named = Named {
                name,
                file: StringId::NULL,
                line: None,
            };
            pending.frames.push(self.stacks.frame(mapping, 0, named));
        }
    }

    /// Adds the sample whose stack is complete.
    fn end_stack(&mut self) {
        let Some(mut pending) = self.pending.take() else {
            return;
        };
        let mut callsite = NONE;
        for frame in pending.frames.into_iter().rev() {
            callsite = self.stacks.callsite(callsite, frame);
        }
        pending.sample.callsite = callsite;
        self.samples.samples.push(pending.sample);
    }

    fn finish(mut self, out: &mut TraceBuilder) {
        self.end_stack();
        let place = Place::default();
        let mut skipped = |count, what: &str| {
            out.repair(RepairKind::SkippedEntry, count, place, || what.to_owned());
        };
        skipped(self.tracepoints, "fields of tracepoints");
        skipped(self.records, "records of mappings, threads and switches");
        skipped(self.source_lines, "lines of source code in stacks");
        let beyond = self.beyond + self.stacks.beyond;
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            "samples with too many rows for their size".to_owned()
        });
        if let Some(callsites) = add_stacks(&self.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
    }
}

/// The thread of a sample. All idle threads have the number 0.
fn thread(head: &Head<'_>, out: &mut TraceBuilder) -> ThreadId {
    if head.tid == 0 {
        return out.idle_thread();
    }
    let utid = out.thread(head.tid);
    if let Some(pid) = head.pid.filter(|pid| *pid > 0) {
        out.put_in_process(utid, pid);
    }
    // perf prints `:123` for a thread without a name.
    if !head.comm.starts_with(':') {
        let name = out.intern_unless_empty(head.comm.as_bytes());
        out.name_thread(utid, name);
    }
    utid
}
