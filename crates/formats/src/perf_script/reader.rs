//! Converts lines to samples with their stacks.

use traceloom_trace::{Place, ProcessId, RepairKind, StringId, ThreadId, TraceBuilder};

use super::counts::{Counts, OF_EVENT};
use super::facts::fact;
use super::frame::Frame;
use super::line::{Head, ROUND};
use super::times::Times;
use super::tracepoints::Tracepoints;
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};
use crate::format_id;
use crate::lines::Lines;
use crate::profile::{
    BYTES, Execution, Mapping, NONE, Named, Sample, Samples, Stacks, Task, add_samples, add_stacks,
};

/// Memory limits: the bytes allowed for each byte of the text, and a base for any text. Stacks and samples each have
/// their own limit.
const OF_STACKS: usize = 6;
const OF_SAMPLES: usize = 10;
const BASE: usize = 16 << 20;
/// The memory for a counter value, bytes.
const OF_VALUE: usize = 200;

/// The assumed time between two samples without times, ns.
const STEP_NS: i64 = 1_000_000;

/// The beginning of the line that perf prints if a part of a hardware trace (Intel PT) was lost.
const TRACE_ERROR: &str = "instruction trace error";

pub(super) struct PerfScriptReader {
    options: ReadOptions,
    lines: Lines,
    state: Option<State>,
}

impl PerfScriptReader {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            options: options.clone(),
            lines: Lines::default(),
            state: None,
        }
    }
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

    fn finish(&mut self, target: &mut Target<'_>) -> Result<(), ReadError> {
        let out = target.trace(format_id::PERF_SCRIPT)?;
        let mut state = self.state.take().unwrap_or_else(|| State::new(out));
        self.lines.finish(|line| state.line(line, out));
        let held = state.times.rest();
        state.lines(&held, out);
        let tracepoints = std::mem::take(&mut state.tracepoints);
        state.finish(out);
        tracepoints.read(&self.options, target)
    }
}

/// A sample whose stack is still incomplete.
struct Pending {
    sample: Sample,
    /// Innermost function first.
    frames: Vec<u32>,
    /// Functions whose file is not known yet, because they are inlined into the next function.
    inlined: Vec<StringId>,
}

impl Pending {
    /// Adds a function and the functions inlined into it. All of them are in `file`.
    fn add_functions(&mut self, file: &str, stacks: &mut Stacks, out: &mut TraceBuilder) {
        if self.inlined.is_empty() {
            return;
        }
        let mapping = stacks.mapping(Mapping {
            name: out.intern_unless_empty(file.as_bytes()),
            end: u64::MAX,
            ..Mapping::default()
        });
        for name in self.inlined.drain(..) {
            let named = Named {
                name,
                file: StringId::NULL,
                line: None,
            };
            self.frames.push(stacks.frame(mapping, 0, named));
        }
    }
}

struct State {
    /// The number of the current line.
    number: u64,
    source: StringId,
    stacks: Stacks,
    samples: Samples,
    /// The memory left for samples, bytes.
    room: usize,
    counts: Counts,
    tracepoints: Tracepoints,
    pending: Option<Pending>,
    beyond: u64,
    times: Times,
    /// Whether a line with a time has been read.
    is_timed: bool,
    /// The number of samples without times.
    untimed: i64,
    /// The number of samples with columns that are not read.
    columns: u64,
    records: u64,
    /// Whether indented lines belong to a record that is not a sample.
    is_in_record: bool,
    source_lines: u64,
}

impl State {
    fn new(out: &mut TraceBuilder) -> Self {
        Self {
            number: 0,
            // Perfetto's name for this source.
            source: out.intern(b"perf_text"),
            stacks: Stacks::with_room(BASE),
            samples: Samples::default(),
            room: BASE,
            counts: Counts::default(),
            tracepoints: Tracepoints::default(),
            pending: None,
            beyond: 0,
            times: Times::default(),
            is_timed: false,
            untimed: 0,
            columns: 0,
            records: 0,
            is_in_record: false,
            source_lines: 0,
        }
    }

    fn line(&mut self, line: &[u8], out: &mut TraceBuilder) {
        let lines = self.times.release(line);
        self.lines(&lines, out);
    }

    fn lines(&mut self, lines: &[u8], out: &mut TraceBuilder) {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            self.read(line, out);
        }
    }

    fn read(&mut self, line: &[u8], out: &mut TraceBuilder) {
        self.number += 1;
        self.tracepoints.next_line();
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.is_empty() || text == ROUND {
            self.end_stack(out);
        } else if let Some(function) = text.strip_prefix('\t') {
            self.stack_line(function, out);
        } else if text.trim_start().starts_with(TRACE_ERROR) {
            let place = Place::at_line(self.number);
            let what = || text.trim_start().to_owned();
            out.repair(RepairKind::LostEvents, 1, place, what);
        } else if let Some(head) = self.head(text) {
            self.end_stack(out);
            self.begin(&head, out);
        } else if text.starts_with('#') {
            fact(text, out);
        } else if text.starts_with(char::is_whitespace) || self.is_function(text) {
            self.stack_line(text, out);
        } else {
            self.unread(text, out);
        }
    }

    /// Parses the first line of a sample. Lines without a time only count as samples if no line had a time.
    fn head<'a>(&mut self, text: &'a str) -> Option<Head<'a>> {
        if let Some(mut head) = Head::read(text) {
            self.is_timed = true;
            head.ts_ns = head.ts_ns.map(|ts| self.times.of_sample(ts));
            return Some(head);
        }
        if self.is_timed || self.is_function(text) {
            return None;
        }
        Head::without_time(text)
    }

    /// Whether a line is a function of the previous sample. Old versions of perf do not indent functions.
    fn is_function(&self, text: &str) -> bool {
        self.pending.is_some() && Frame::read(text).is_some_and(|frame| !frame.file.is_empty())
    }

    /// Reads an indented line: a function, its place in the source, or registers (`-F +iregs`).
    fn stack_line(&mut self, text: &str, out: &mut TraceBuilder) {
        match Frame::read(text).or_else(|| Frame::address(text)) {
            _ if self.is_in_record => {}
            None if text.trim_start().starts_with("ABI:") => self.columns += 1,
            // The stack of a sample beyond the limit, which is counted.
            _ if self.pending.is_none() && self.beyond > 0 => {}
            _ if self.pending.is_none() => self.unread(text, out),
            Some(frame) => self.frame(frame, out),
            None => self.source_lines += 1,
        }
    }

    fn unread(&mut self, text: &str, out: &mut TraceBuilder) {
        const SHOWN: usize = 120;
        let place = Place::at_line(self.number);
        let text = text.trim_start();
        let end = text.floor_char_boundary(SHOWN.min(text.len()));
        out.repair(RepairKind::UnparsedLine, 1, place, || {
            text[..end].to_owned()
        });
    }

    fn begin(&mut self, head: &Head<'_>, out: &mut TraceBuilder) {
        let ts_ns = head.ts_ns.unwrap_or(self.untimed * STEP_NS);
        let record = head.rest.strip_prefix("PERF_RECORD_");
        self.is_in_record = record.is_some();
        if let Some(record) = record {
            return self.record(record, ts_ns, out);
        }
        let value = head.period.map_or(0, |_| OF_VALUE);
        if self.room < BYTES + value {
            self.beyond += 1;
            return;
        }
        self.room -= BYTES + value;
        self.untimed += i64::from(head.ts_ns.is_none());
        self.pending = Some(Pending {
            sample: self.sample(head, ts_ns, out),
            frames: Vec::new(),
            inlined: Vec::new(),
        });
        match Frame::on_first_line(head.rest) {
            Some(frame) => self.frame(frame, out),
            None if self.tracepoints.add(head) => {}
            None => self.columns += u64::from(!head.rest.is_empty()),
        }
    }

    /// Creates a sample without its stack.
    fn sample(&mut self, head: &Head<'_>, ts_ns: i64, out: &mut TraceBuilder) -> Sample {
        let before = self.counts.len();
        let event = out.intern_unless_empty(head.event.as_bytes());
        let samples = &mut self.samples;
        let session = self.counts.session(event, self.source, samples);
        let counters = self
            .counts
            .add((head, ts_ns), (event, session), samples, out);
        let more = (self.counts.len() - before) * OF_EVENT;
        self.room = self.room.saturating_sub(more);
        let execution = Execution {
            cpu: head.cpu,
            ..Execution::default()
        };
        Sample {
            task: self.samples.task(task(head, out)),
            execution: self.samples.execution(execution),
            session,
            counters,
            ..Sample::at(ts_ns, self.source)
        }
    }

    /// Adds a record that is not a sample. `--show-…-events` prints such records.
    fn record(&mut self, record: &str, ts: i64, out: &mut TraceBuilder) {
        if !record.starts_with("LOST") {
            self.records += 1;
            return;
        }
        let count = record.rsplit(' ').next();
        let count = count.and_then(|count| count.parse().ok()).unwrap_or(1);
        let place = Place::at_line(self.number).with_ts(ts);
        out.repair(RepairKind::LostEvents, count, place, || {
            "samples that the kernel dropped".to_owned()
        });
    }

    fn frame(&mut self, frame: Frame<'_>, out: &mut TraceBuilder) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        pending.inlined.push(out.intern(frame.name.as_bytes()));
        if !frame.is_inlined() {
            pending.add_functions(frame.file, &mut self.stacks, out);
        }
    }

    /// Adds the sample whose stack is now complete.
    fn end_stack(&mut self, out: &mut TraceBuilder) {
        let Some(mut pending) = self.pending.take() else {
            return;
        };
        // The text ends after an inlined function.
        pending.add_functions("", &mut self.stacks, out);
        let mut callsite = NONE;
        for frame in pending.frames.into_iter().rev() {
            callsite = self.stacks.callsite(callsite, frame);
        }
        pending.sample.callsite = callsite;
        self.samples.samples.push(pending.sample);
    }

    fn finish(mut self, out: &mut TraceBuilder) {
        self.end_stack(out);
        let place = Place::default();
        let mut skipped = |count, what: &str| {
            out.repair(RepairKind::SkippedEntry, count, place, || what.to_owned());
        };
        skipped(self.columns, "columns without a table");
        skipped(self.records, "records of mappings, threads and switches");
        skipped(self.source_lines, "lines of source code in stacks");
        out.repair(RepairKind::RebuiltTime, self.untimed as u64, place, || {
            "the samples have no times; they stand one millisecond apart".to_owned()
        });
        let beyond = self.beyond + self.stacks.beyond;
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            "samples with too many rows for their size".to_owned()
        });
        if let Some(callsites) = add_stacks(&self.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
    }
}

/// The owner of a sample. All idle threads have the number 0.
fn task(head: &Head<'_>, out: &mut TraceBuilder) -> Task {
    let upid = match head.pid {
        Some(0) => Some(ProcessId::IDLE),
        Some(pid @ 1..) => Some(out.process(pid)),
        _ => None,
    };
    let utid = match head.tid {
        0 => Some(out.idle_thread()),
        1.. => Some(thread(head, upid, out)),
        _ => None,
    };
    Task {
        upid,
        utid,
        context: NONE,
    }
}

/// The thread of a sample. A process has the name of its main thread.
fn thread(head: &Head<'_>, upid: Option<ProcessId>, out: &mut TraceBuilder) -> ThreadId {
    let utid = out.thread(head.tid);
    let pid = head.pid.filter(|pid| *pid > 0);
    if let Some(pid) = pid {
        out.put_in_process(utid, pid);
    }
    // perf prints `:123` for a thread without a name.
    if !head.comm.starts_with(':') {
        let name = out.intern_unless_empty(head.comm.as_bytes());
        out.name_thread(utid, name);
        if let Some(upid) = upid.filter(|_| pid == Some(head.tid)) {
            out.name_process(upid, name);
        }
    }
    utid
}
