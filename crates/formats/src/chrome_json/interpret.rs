//! Converts events to names, counters and instants, and to rows that have to be sorted first.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, ClockRow, NO_DURATION, Place, ProcessId, RepairKind, RowId, StringId, ThreadId,
    ThreadStateRow, TraceBuilder, TrackId,
};

use super::asyncs::Asyncs;
use super::event::Event;
use super::event_stacks::{EventStacks, frame_of};
use super::flows::Flows;
use super::frames::Frames;
use super::import_log;
use super::members::{MOST_MEMBERS, is_deferred, is_facts, is_inner};
use super::origin::Origin;
use super::rows::{ENCLOSING, FLOW_IN, FLOW_OUT, LOCAL, NO_END, Row};
use super::samples::SampleEvent;
use super::split::Part;
use super::states::{add_state, is_state, state};
use super::stats::Stats;
use super::tables::{Tables, is_table};
use super::tasks::Tasks;
use super::threads;
use super::v8::{self, V8};
use super::values::{PROCESS_HINT, THREAD_HINT, arguments, as_text, is_empty, member, shown};
use super::zero::ZeroDurations;
use crate::deferred::Deferred;
use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::format_id;
use crate::json::Value;

/// Collects the contents of events.
pub(super) struct Interpreter {
    pub(super) options: ReadOptions,
    tasks: Tasks,
    pub(super) counters: FxHashMap<(ProcessId, StringId, StringId), TrackId>,
    /// Members other than the events, with their places.
    members: Vec<(String, Vec<u8>, Place)>,
    pub(super) members_beyond: u64,
    pub(super) bytes: usize,
    states: Vec<ThreadStateRow>,
    tables: Tables,
    event_stacks: EventStacks,
    thread_rows: Vec<Row>,
    async_rows: Vec<Row>,
    /// The ids of the flows of asynchronous events, by their position in the file.
    binds: FxHashMap<u32, StringId>,
    pub(super) first_counter: Option<usize>,
    /// Offset added to all times. It comes from a sync point that another block of the page shares.
    pub(super) shift: i64,
    /// Clock markers that no other block of the page has.
    pub(super) clocks: Vec<ClockRow>,
    pub(super) deferred: Deferred,
    v8: V8,
    origin: Origin,
    zero: ZeroDurations,
    stats: Stats,
    /// The number of objects with a phase, and without one.
    pub phases: [u64; 2],
    /// Whether an embedded trace was read.
    pub read_inner: bool,
}

impl Interpreter {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            options: options.joined(),
            tasks: Tasks::default(),
            counters: FxHashMap::default(),
            members: Vec::new(),
            members_beyond: 0,
            bytes: 0,
            states: Vec::new(),
            tables: Tables::default(),
            event_stacks: EventStacks::default(),
            thread_rows: Vec::new(),
            async_rows: Vec::new(),
            binds: FxHashMap::default(),
            first_counter: None,
            shift: 0,
            clocks: Vec::new(),
            deferred: Deferred::default(),
            v8: V8::default(),
            origin: Origin::default(),
            zero: ZeroDurations::default(),
            stats: Stats::default(),
            phases: [0; 2],
            read_inner: false,
        }
    }

    /// Processes a part of the file. `offset` is the position of the chunk that contains its end.
    pub fn part(
        &mut self,
        part: Part<'_>,
        offset: u64,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        let place = Place::at_offset(offset);
        match part {
            Part::Event(text) => {
                self.bytes += text.len();
                self.event(
                    Event::read(text),
                    text,
                    place,
                    out.trace(format_id::CHROME_JSON)?,
                );
            }
            Part::Member(key, text) if is_table(key, text) => {
                self.bytes += text.len();
                self.tables.hold(key, text);
            }
            Part::Member(key, text) if is_inner(key) => return self.inner(key, text, out),
            Part::Member(key, text) if is_deferred(key) => self.hold_deferred(key, text, place),
            Part::Member(key, text) => self.hold_member(key, text, place),
            Part::Junk(text) => {
                let count = text.len() as u64;
                out.repair(RepairKind::TrailingBytes, count, place, || shown(text));
            }
        }
        Ok(())
    }

    /// Keeps a member until the end, because only events prove that the file is a trace.
    pub(super) fn hold_member(&mut self, key: &str, text: &[u8], place: Place) {
        if self.members.len() >= MOST_MEMBERS {
            self.members_beyond += 1;
            return;
        }
        // Tables that a trace cannot hold are only counted, so their contents are not kept.
        let is_table = matches!(text.first(), Some(b'{' | b'[')) && !is_facts(key);
        let kept = match text {
            [_, inside @ .., _] if is_table && inside.trim_ascii().is_empty() => return,
            _ if is_table => &text[..1],
            _ => text,
        };
        self.members.push((key.to_owned(), kept.to_vec(), place));
    }

    fn event(&mut self, event: Event<'_>, text: &[u8], place: Place, out: &mut TraceBuilder) {
        if !event.has_fields && event.bad_fields == 0 {
            // Some writers end their list with an empty object, so that a comma can follow every event.
            return;
        }
        self.phases[usize::from(event.phase == 0)] += 1;
        out.repair(RepairKind::BadField, event.bad_fields, place, || {
            shown(text)
        });
        let upid = self.tasks.process(event.pid.as_ref(), out);
        if event.phase == b'M' {
            return self.metadata(&event, upid, out);
        }
        let ts = self.origin.time(&event, out);
        let Some(ts) = ts.filter(|_| is_complete(&event)) else {
            self.stats.unread += 1;
            if self.stats.unread <= import_log::MOST_EVENTS {
                import_log::unread(text, place.offset, out);
            }
            return out.repair(RepairKind::UnparsedLine, 1, place, || shown(text));
        };
        let is_backwards = event.dur.is_some_and(|dur| dur < 0);
        out.repair(RepairKind::BadField, is_backwards.into(), place, || {
            shown(text)
        });
        match event.phase {
            b'C' => self.counter(&event, upid, ts, place, out),
            b'T' if is_state(&event) => {
                let utid = self.tasks.thread(event.tid.as_ref(), upid, out);
                self.states.push(state(&event, utid, ts, place, out));
            }
            b'c' => self.clock_sync(&event, ts, place, out),
            b'P' if v8::has_profile(&event) => {
                let utid = self.tasks.thread(event.tid.as_ref(), upid, out);
                self.v8.event(&event, (upid, utid), self.bytes, out);
            }
            _ if v8::is_profile(&event) => {
                let utid = self.tasks.thread(event.tid.as_ref(), upid, out);
                self.v8.whole(&event, (upid, utid), self.bytes, out);
            }
            _ => self.row(&event, upid, ts, out),
        }
    }

    fn row(&mut self, event: &Event<'_>, upid: ProcessId, ts: i64, out: &mut TraceBuilder) {
        let bind = event.bind().map(|bind| out.intern(bind));
        let id = if matches!(event.phase, b'B' | b'X') {
            bind
        } else {
            event.whole_id().map(|id| out.intern(&id))
        };
        let is_async = event.is_async();
        let sequence = (self.thread_rows.len() + self.async_rows.len()) as u32;
        let args = if event.is_flow() {
            flow_extras(event, out);
            ArgSetId::NONE
        } else {
            self.event_stacks.hold(event, sequence, out);
            arguments(event, out)
        };
        let mut row = Row {
            ts,
            dur: event.dur.unwrap_or(0).max(0),
            thread_ts: event.thread_ts.unwrap_or(NO_DURATION),
            thread_dur: event.thread_dur.unwrap_or(NO_DURATION),
            name: interned(&event.name, event.has_name, out),
            category: interned(&event.category, event.has_category, out),
            id: id.unwrap_or(StringId::NULL),
            args,
            utid: ThreadId::NONE,
            upid,
            sequence,
            phase: event.phase,
            flags: flags(event),
        };
        if event.phase == b'X' && event.dur.is_none() {
            // An `X` without a duration becomes a slice that never ended.
            row.phase = b'B';
            row.flags |= NO_END;
        }
        if is_async {
            row.upid = if event.is_global {
                ProcessId::NONE
            } else {
                upid
            };
            self.binds.extend(bind.map(|bind| (row.sequence, bind)));
            self.async_rows.push(row);
            return;
        }
        row.utid = match (event.phase, event.scope) {
            (b'i' | b'I' | b'R', b'g' | b'p') => ThreadId::NONE,
            _ => self.tasks.thread(event.tid.as_ref(), upid, out),
        };
        if let (b'P', Some(frame)) = (event.phase, frame_of(event, b"sf")) {
            let (utid, frame) = (row.utid, out.intern(frame));
            self.tables.sample_events.push(SampleEvent {
                ts,
                upid,
                utid,
                frame,
            });
        }
        if event.scope == b'g' {
            row.upid = ProcessId::NONE;
        }
        self.thread_rows.push(row);
    }

    fn metadata(&mut self, event: &Event<'_>, upid: ProcessId, out: &mut TraceBuilder) {
        let value = |key: &[u8]| event.argument(key);
        let name = value(b"name").filter(|name| *name != Value::Word(b"null"));
        let name = name.as_ref().and_then(Value::text);
        let upid = match &*event.name {
            b"process_name" | b"process_sort_index" => {
                self.tasks.owner(event.tid.as_ref(), upid, out)
            }
            _ => upid,
        };
        match (&*event.name, name) {
            (b"process_name", Some(name)) if upid != ProcessId::NONE => {
                self.zero.process(name);
                let name = out.intern(name);
                out.name_process(upid, name);
            }
            (b"thread_name", Some(name)) => {
                let utid = self.tasks.thread(event.tid.as_ref(), upid, out);
                let name = out.intern(name);
                out.name_thread(utid, name);
            }
            (b"process_sort_index", _) if upid != ProcessId::NONE => {
                // Such a process has a main thread, even if no event is on it.
                self.tasks.thread(None, upid, out);
                if let Some(hint) = event.sort_index() {
                    out.add_process_arg(upid, PROCESS_HINT, hint);
                }
            }
            (b"thread_sort_index", _) => {
                let utid = self.tasks.thread(event.tid.as_ref(), upid, out);
                if let Some(hint) = event.sort_index() {
                    out.add_thread_arg(utid, THREAD_HINT, hint);
                }
            }
            (kind, _) => {
                let number = event.pid.as_ref().and_then(Value::text).unwrap_or(b"");
                let thread = event.tid.as_ref().and_then(Value::text);
                let thread = thread
                    .filter(|_| kind.starts_with(b"thread_"))
                    .unwrap_or(b"");
                let parts = [kind, number, thread].map(String::from_utf8_lossy);
                let key = parts.join(" ");
                let values = event.args.iter().flat_map(Value::fields);
                for (_, value) in values.filter(|(_, value)| *value != Value::Word(b"null")) {
                    out.metadata(key.trim_ascii_end(), &as_text(&value));
                }
            }
        }
    }

    /// Sorts everything and builds the slices.
    pub fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::CHROME_JSON)?;
        for (key, text, place) in std::mem::take(&mut self.members) {
            member(&key, &text, place, out);
        }
        out.repair(
            RepairKind::BeyondLimit,
            self.members_beyond,
            Place::default(),
            || "too many members beside the events".to_owned(),
        );
        self.put_clocks(out);
        let shift = self.shift;
        if let Some(first) = self.first_counter {
            out.align_counters(first, shift);
        }
        let mut thread_rows = std::mem::take(&mut self.thread_rows);
        let mut async_rows = std::mem::take(&mut self.async_rows);
        for row in thread_rows.iter_mut().chain(&mut async_rows) {
            row.ts = row.ts.saturating_add(shift);
        }
        for state in std::mem::take(&mut self.states) {
            let ts = state.ts.saturating_add(shift);
            add_state(ThreadStateRow { ts, ..state }, out);
        }
        let tables = std::mem::take(&mut self.tables);
        tables.scheduling(shift, &mut self.tasks, out);
        let (stacks, samples, room) = self.v8.tables(self.bytes);
        let frames = Frames::read(&tables.frames, stacks, out);
        let tasks = (&mut self.tasks, &mut self.origin);
        tables.samples(&frames, (samples, room, shift), tasks, out);
        let callsites = std::mem::take(&mut self.v8).finish(shift, out);
        self.zero.settle(&mut thread_rows);
        thread_rows.sort_unstable_by_key(Row::thread_key);
        let mut flows = Flows::default();
        let mut stacks = std::mem::take(&mut self.event_stacks);
        self.stats.overlapping += threads::build(&mut thread_rows, &mut flows, &mut stacks, out);
        async_rows.sort_unstable_by_key(|row| (row.ts, row.sequence));
        let mut asyncs = Asyncs::new(std::mem::take(&mut self.binds), &async_rows);
        for row in &async_rows {
            asyncs.take(row, (&mut flows, &mut stacks), out);
        }
        stacks.finish(&frames, callsites, out);
        flows.join(&mut self.stats, out);
        self.stats.report(out);
        let mut deferred = std::mem::take(&mut self.deferred);
        deferred.finish(
            format_id::CHROME_JSON,
            &self.options,
            &mut Target::Trace(out),
        )
    }
}

/// Whether an event has the fields that its phase needs besides a time. The duration of an `X` must be readable, if
/// present; an asynchronous event or a flow needs the id that connects it with others.
fn is_complete(event: &Event<'_>) -> bool {
    match event.phase {
        0 => false,
        b'X' => !event.has_bad_dur,
        b'T' if is_state(event) => true,
        _ => event.id.is_some() || !(event.is_async() || event.is_flow()),
    }
}

fn flags(event: &Event<'_>) -> u8 {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let binds = event.bind().is_some();
    flag(binds && event.flow_in, FLOW_IN)
        | flag(binds && event.flow_out, FLOW_OUT)
        | flag(event.binds_enclosing, ENCLOSING)
        | flag(event.is_local, LOCAL)
}

/// Counts a flow with arguments or a stack, because a flow of the model has neither.
fn flow_extras(event: &Event<'_>, out: &mut TraceBuilder) {
    let has_stack = [&b"sf"[..], b"esf"].map(|key| frame_of(event, key).is_some());
    let has_extras =
        has_stack.contains(&true) || event.args.as_ref().is_some_and(|args| !is_empty(args));
    out.repair(
        RepairKind::SkippedEntry,
        has_extras.into(),
        Place::default(),
        || "the arguments or the stack of a flow".to_owned(),
    );
}

/// An interned text, or none if the event has no such field.
fn interned(text: &[u8], is_there: bool, out: &mut TraceBuilder) -> StringId {
    if is_there {
        out.intern(text)
    } else {
        StringId::NULL
    }
}
