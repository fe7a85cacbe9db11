//! Converts the events of a recording to tables.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use traceloom_ring::layout::SAMPLED_TID;
use traceloom_ring::{Event, Name, Owner, Recording, What, method_parts, unnamed_method};
use traceloom_trace::{
    MethodId, MethodRow, NO_DURATION, Place, RepairKind, RowId, SliceBegin, ThreadId, TraceBuilder,
};

use super::calls::Calls;
use super::names::Names;
use crate::ftrace::event::{Cookie, CounterValue, Event as FtraceEvent, FieldList, Mark, Record};
use crate::ftrace::{Interpreter, mark};
use crate::rules::EventRules;

/// Bytes of the file that allow one row in the table of methods. Every real method has at least two
/// records.
const BYTES_PER_METHOD: usize = 32;

/// The number of methods that is always allowed.
const FREE_METHODS: usize = 1 << 12;

/// The state of a thread.
struct Thread<'r> {
    owner: Owner,
    name: &'r [u8],
    /// Whether an earlier thread had the same tid.
    is_reborn: bool,
    calls: Calls,
    /// The time of its last event, ns.
    last_ns: i64,
}

/// Passes marks to ftrace's interpreter, which has the rules for them, and creates the slices of methods itself.
pub(super) struct RingInterpreter<'r> {
    marks: Interpreter,
    threads: Vec<Thread<'r>>,
    names: Names<'r>,
    /// Source file and line of methods.
    sources: FxHashMap<u32, (&'r [u8], Option<u32>)>,
    methods: FxHashMap<u32, u32>,
    most_methods: usize,
    first_method: usize,
}

impl<'r> RingInterpreter<'r> {
    pub fn new(recording: &'r Recording<'_>, file_bytes: usize) -> Self {
        let mut seen = rustc_hash::FxHashSet::default();
        let threads = recording.threads().iter().map(|thread| Thread {
            owner: thread.owner,
            name: thread.name.as_deref().unwrap_or(thread.owner.name()),
            is_reborn: !seen.insert(thread.owner.tid),
            calls: Calls::default(),
            last_ns: 0,
        });
        Self {
            marks: Interpreter::for_whole_marks(Arc::<EventRules>::default()),
            threads: threads.collect(),
            names: Names::new(recording.names()),
            sources: recording.sources().collect(),
            methods: FxHashMap::default(),
            most_methods: FREE_METHODS + file_bytes / BYTES_PER_METHOD,
            first_method: 0,
        }
    }

    /// Processes the next event.
    pub fn event(&mut self, event: &Event<'_>, out: &mut TraceBuilder) {
        let Some(thread) = self.threads.get_mut(event.thread) else {
            return;
        };
        if std::mem::take(&mut thread.is_reborn) {
            let record = record(thread, event.ts_ns, Mark::End { pid: 0 });
            self.marks.reborn(&record, event.offset, out);
        }
        if event.missing_chunks > 0 {
            self.close_all(event, out);
        }
        self.threads[event.thread].last_ns = event.ts_ns;
        match &event.what {
            What::Enter { id, cpu_ns } => self.enter(event, *id, *cpu_ns, out),
            What::Exit { id, cpu_ns } => self.exit(event, *id, *cpu_ns, out),
            What::Mark(payload) => self.mark(event, mark(payload), out),
            _ => self.own(event, out),
        }
    }

    /// Closes all open slices before missing chunks. Their ends may be in those chunks, and the end of a later slice
    /// must not close them. They end at the thread's last event.
    fn close_all(&mut self, event: &Event<'_>, out: &mut TraceBuilder) {
        let thread = &mut self.threads[event.thread];
        let closed = thread.calls.close_all();
        let record = record(thread, thread.last_ns, Mark::End { pid: 0 });
        let track = self.marks.track_of(&record, event.offset, out);
        for _ in 0..closed {
            out.end_slice(track, record.ts, None);
        }
        let place = Place::at_offset(event.offset).with_ts(event.ts_ns);
        out.repair(RepairKind::MissingExit, closed as u64, place, || {
            format!("before {} missing chunks", event.missing_chunks)
        });
    }

    fn mark(&mut self, event: &Event<'_>, mark: Mark<'_>, out: &mut TraceBuilder) {
        let thread = &mut self.threads[event.thread];
        match mark {
            Mark::Begin { .. } => thread.calls.open_section(),
            Mark::End { .. } if !thread.calls.close_section() => {
                return self.marks.unmatched(event.offset, event.ts_ns);
            }
            _ => {}
        }
        let record = record(thread, event.ts_ns, mark);
        self.marks
            .binary(&record, FieldList::default(), event.offset, out);
    }

    /// The recorder's own events have the same meaning as marks.
    fn own(&mut self, event: &Event<'_>, out: &mut TraceBuilder) {
        let mut names = std::mem::replace(&mut self.names, Names::new(std::iter::empty()));
        let pid = self.threads[event.thread].owner.pid as i32;
        let track = None;
        let mut named = |name: &Name<'_>, is: &mut dyn FnMut(&[u8])| match *name {
            Name::Id(id) => is(names.name_or_id(id)),
            Name::Text(text) => is(text),
        };
        match &event.what {
            What::Begin(name) => named(name, &mut |name| {
                self.mark(event, Mark::Begin { pid, name }, out);
            }),
            What::End => self.mark(event, Mark::End { pid }, out),
            What::Counter(name, value) => named(name, &mut |name| {
                let counter = Mark::Counter {
                    pid,
                    name,
                    value: CounterValue::Whole(*value),
                    category: b"",
                };
                self.mark(event, counter, out);
            }),
            What::Instant(name) => named(name, &mut |name| {
                self.mark(event, Mark::Instant { pid, track, name }, out);
            }),
            What::AsyncBegin(name, cookie) => named(name, &mut |name| {
                let begin = Mark::AsyncBegin {
                    pid,
                    track,
                    name,
                    cookie: Cookie::Number(*cookie),
                };
                self.mark(event, begin, out);
            }),
            What::AsyncEnd(name, cookie) => named(name, &mut |name| {
                let end = Mark::AsyncEnd {
                    pid,
                    track,
                    name,
                    cookie: Cookie::Number(*cookie),
                };
                self.mark(event, end, out);
            }),
            What::Enter { .. } | What::Exit { .. } | What::Mark(_) => {}
        }
        self.names = names;
    }

    fn enter(&mut self, event: &Event<'_>, id: u32, cpu_ns: Option<u64>, out: &mut TraceBuilder) {
        let Some(method) = self.method(event, id, out) else {
            return;
        };
        let thread = &mut self.threads[event.thread];
        thread.calls.open_method(method);
        let track = {
            let record = record(thread, event.ts_ns, Mark::End { pid: 0 });
            self.marks.track_of(&record, event.offset, out)
        };
        let cpu_ns = cpu_ns.map_or(NO_DURATION, |ns| i64::try_from(ns).unwrap_or(i64::MAX));
        let method = MethodId::from_row(self.first_method + method as usize);
        out.begin_slice(track, SliceBegin::call(event.ts_ns, cpu_ns, method));
    }

    fn exit(&mut self, event: &Event<'_>, id: u32, cpu_ns: Option<u64>, out: &mut TraceBuilder) {
        let place = || Place::at_offset(event.offset).with_ts(event.ts_ns);
        let Some(method) = self.method(event, id, out) else {
            return;
        };
        let thread = &mut self.threads[event.thread];
        let closed = thread.calls.close_method(method);
        if closed == 0 {
            return out.repair(RepairKind::UnmatchedExit, 1, place(), || {
                format!("method {id}")
            });
        }
        let record = record(thread, event.ts_ns, Mark::End { pid: 0 });
        let track = self.marks.track_of(&record, event.offset, out);
        let cpu_ns = cpu_ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX));
        for _ in 0..closed {
            out.end_slice(track, event.ts_ns, cpu_ns);
        }
        out.repair(RepairKind::MissingExit, closed as u64 - 1, place(), || {
            format!("method {id}")
        });
    }

    /// The row of the method in this file's table of methods.
    fn method(&mut self, event: &Event<'_>, id: u32, out: &mut TraceBuilder) -> Option<u32> {
        if let Some(&method) = self.methods.get(&id) {
            return Some(method);
        }
        if self.methods.is_empty() {
            self.first_method = out.trace().methods.len();
        }
        if self.methods.len() >= self.most_methods {
            let place = Place::at_offset(event.offset).with_ts(event.ts_ns);
            out.repair(RepairKind::BeyondLimit, 1, place, || format!("method {id}"));
            return None;
        }
        let name = match self.names.name(id) {
            Some(name) => String::from_utf8_lossy(name),
            None => unnamed_method(id).into(),
        };
        let (class, method, signature) = method_parts(&name);
        let (file, line) = self.sources.get(&id).copied().unwrap_or_default();
        let row = MethodRow {
            raw_id: id.into(),
            class: out.intern_unless_empty(class.as_bytes()),
            name: out.intern(method.as_bytes()),
            signature: out.intern_unless_empty(signature.as_bytes()),
            file: out.intern_unless_empty(file),
            line: line.map_or(-1, |line| i32::try_from(line).unwrap_or(-1)),
            source: out.source(),
        };
        out.method(row);
        let method = self.methods.len() as u32;
        self.methods.insert(id, method);
        Some(method)
    }

    /// Ends the recording.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.marks.finish(out);
        number_sampled_threads(out);
    }
}

/// Gives sampled threads their final numbers. Until now they have temporary numbers that no kernel thread uses; the
/// final numbers are the virtual machine's.
fn number_sampled_threads(out: &mut TraceBuilder) {
    let source = out.source();
    for row in 0..out.trace().threads.len() {
        let thread = out.trace().threads.row(row);
        if thread.tid >= SAMPLED_TID.into() && thread.source == source {
            out.renumber_thread(ThreadId::from_row(row), thread.tid - i64::from(SAMPLED_TID));
        }
    }
}

/// Converts a mark to a record for ftrace's interpreter. The CPU that wrote it is unknown and not
/// used.
fn record<'a>(thread: &Thread<'a>, ts: i64, mark: Mark<'a>) -> Record<'a> {
    Record {
        ts,
        // Larger numbers are not valid thread ids.
        tid: i32::try_from(thread.owner.tid).unwrap_or(0),
        tgid: i32::try_from(thread.owner.pid).unwrap_or(crate::ftrace::event::NO_TGID),
        cpu: 0,
        line: 0,
        comm: thread.name,
        event: FtraceEvent::Mark(mark),
    }
}
