//! The interpreter: finds the thread of each event and passes the event to the method for its kind.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    AsyncLanes, LaneKey, Paged, RepairKind, RowId, SchedTracker, StringId, TraceBuilder, TrackId,
    TrackType,
};

use super::args::{Fields, KeysId};
use super::clock::clock_mark;
use super::described_track::DescribedTrack;
use super::devices::Devices;
use super::event_table::EventTable;
use super::open_pairs::{OpenPairs, Request};
use super::position::{At, Position, SlotId};
use super::repeats::Repeats;
use super::state::{Binder, Cpu, CpuColumn, GraphCpu, History, Memory, NEW_CPU, NOBODY, OpenStack};
use super::threads::Threads;
use crate::ftrace::batch::EventBatch;
use crate::ftrace::derived::Entry;
use crate::ftrace::event::{CpuValueKind, Event, FieldList, Record};
use crate::ftrace::pairs::Use;
use crate::process_dump::Dump;
use crate::rules::EventRules;

/// How a kind of kernel event is handled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handler {
    pub rule: Option<Rule>,
    /// The pairs that it begins or ends.
    pub pairs: &'static [Use],
    /// What is derived from it.
    pub derived: &'static [Entry],
}

/// Handles a kernel event. `None` means that the event is also kept with its fields, because the
/// rule could not parse it, or because the tables hold only a part of it.
pub(super) type Rule = fn(&mut Interpreter, At, Fields<'_>, &mut TraceBuilder) -> Option<()>;

/// Fills a trace from ftrace events.
#[derive(Debug)]
pub(crate) struct Interpreter {
    pub(super) threads: Threads,
    pub(super) cpus: Paged<Cpu>,
    pub(super) sched: SchedTracker,
    pub(super) lanes: AsyncLanes,
    pub(super) repeats: Repeats,
    /// The key of the argument that keeps cookies.
    pub(super) cookie_key: StringId,
    pub(super) binder: Binder,
    pub(super) memory: Memory,
    pub(super) graph: Paged<GraphCpu>,
    /// The end of the last call of each track, ns.
    pub(super) graph_ends: Paged<i64>,
    /// The last stack, whose lines may follow.
    pub(super) stack: Option<OpenStack>,
    pub(super) kernel: EventTable<Handler>,
    /// The block device of the last request, and its track.
    pub(super) disk: Option<(Vec<u8>, TrackId)>,
    pub(super) open: OpenPairs,
    /// The requests in progress, by their next sector.
    pub(super) requests: FxHashMap<LaneKey, Request>,
    pub(super) history: History,
    pub(super) devices: Devices,
    /// Tracks of events that describe their own tracks.
    pub(super) described: FxHashMap<DescribedTrack, TrackId>,
    /// The `ps` tables in the text.
    dump: Dump,
    pub(super) columns: CpuColumn,
    /// The number of batches before the current one.
    pub(super) batches: u64,
    pub(super) lines: u64,
    /// Events so far.
    pub(super) events: u64,
    /// The start of the period that the next event reports, ns, if the reader has it.
    pub period_start: Option<i64>,
    /// Whether marks have their full length, so that only libcutils can have truncated them.
    pub(super) marks_are_whole: bool,
}

impl Interpreter {
    pub fn new(rules: Arc<EventRules>) -> Self {
        Self {
            kernel: EventTable::new(rules),
            threads: Threads::default(),
            cpus: Paged::new(NEW_CPU),
            sched: SchedTracker::default(),
            lanes: AsyncLanes::default(),
            repeats: Repeats::default(),
            cookie_key: StringId::NULL,
            binder: Binder::default(),
            memory: Memory::default(),
            graph: Paged::new(GraphCpu::default()),
            graph_ends: Paged::new(i64::MIN),
            stack: None,
            disk: None,
            open: OpenPairs::default(),
            requests: FxHashMap::default(),
            history: History::default(),
            devices: Devices::default(),
            described: FxHashMap::default(),
            dump: Dump::default(),
            columns: CpuColumn::default(),
            batches: 0,
            lines: 0,
            events: 0,
            period_start: None,
            marks_are_whole: false,
        }
    }

    /// Creates an interpreter for an input in which only libcutils can have truncated marks.
    pub fn for_whole_marks(rules: Arc<EventRules>) -> Self {
        Self {
            marks_are_whole: true,
            ..Self::new(rules)
        }
    }

    /// Processes the next batch of the input.
    pub fn batch(&mut self, batch: &EventBatch<'_>, out: &mut TraceBuilder) {
        let mut records = batch.records();
        while let Some(record) = records.next() {
            let position = Position::Line(self.lines + u64::from(record.line) + 1);
            let fields = match record.event {
                Event::Fields(event) => {
                    let keys = KeysId::for_shape(self.batches, event.shape);
                    Fields::new(records.fields(), keys)
                }
                _ => Fields::NONE,
            };
            self.record(&record, fields, position, out);
        }
        self.batches += 1;
        self.lines += u64::from(batch.lines);
    }

    /// Processes a binary record, which begins at byte `offset`, with its fields.
    #[inline]
    pub fn binary(
        &mut self,
        record: &Record<'_>,
        fields: FieldList<'_>,
        offset: u64,
        out: &mut TraceBuilder,
    ) {
        let fields = Fields::new(fields, KeysId::default());
        self.record(record, fields, Position::Byte(offset), out);
    }

    /// Keeps a binary record as an event, and does nothing else.
    pub fn keep(
        &mut self,
        record: &Record<'_>,
        name: &[u8],
        fields: FieldList<'_>,
        offset: u64,
        out: &mut TraceBuilder,
    ) {
        let at = self.locate(record, Position::Byte(offset), out);
        self.stored(at, name, Fields::new(fields, KeysId::default()), out);
    }

    /// The track of the record's thread, for readers that add slices themselves.
    pub fn track_of(
        &mut self,
        record: &Record<'_>,
        offset: u64,
        out: &mut TraceBuilder,
    ) -> TrackId {
        let at = self.locate(record, Position::Byte(offset), out);
        self.threads.track(at.slot, out)
    }

    /// From this record on, its tid belongs to a new thread.
    pub fn reborn(&mut self, record: &Record<'_>, offset: u64, out: &mut TraceBuilder) {
        self.threads
            .rebirth(record.tid, record.ts, Position::Byte(offset), out);
    }

    /// Counts an end without a begin.
    pub fn unmatched(&mut self, offset: u64, ts: i64) {
        self.history
            .unmatched_at(Position::Byte(offset).place().with_ts(ts));
    }

    #[inline]
    fn record(
        &mut self,
        record: &Record<'_>,
        fields: Fields<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) {
        match record.event {
            Event::Header(header) => return self.header(header, position, out),
            Event::Unparsed(text) => return self.unparsed(text, position, out),
            Event::Graph(row) if record.comm.is_empty() || !row.timed || !row.call.is_entry() => {
                return self.graph_row(record, row, position, out);
            }
            // systrace ends its output with such a line at time 0. It shows which clock was used.
            Event::Mark(mark) if record.ts == 0 && record.tid == 0 && mark.is_clock() => {
                self.events += 1;
                return clock_mark(position.place().with_ts(0), mark, out);
            }
            _ => {}
        }
        let at = self.locate(record, position, out);
        match record.event {
            Event::Switch(switch) => self.switch(at, switch, out),
            Event::Wake(wake) => self.wake(at, wake, out),
            Event::Mark(mark) => self.mark(at, mark, out),
            Event::CpuValue(value) => self.cpu_value(at, value.kind, value.cpu, value.value, out),
            Event::Fields(event) => self.kernel_event(at, event.name, fields, out),
            Event::Function { name, parent } => self.function(at, name, parent, out),
            Event::Graph(row) => self.graph_event(at, row, out),
            Event::Stack(name) => self.stack(at, name, out),
            Event::Header(_) | Event::Unparsed(_) => {}
        }
    }

    /// Finds the thread of a record and checks its time.
    #[inline]
    fn locate(&mut self, record: &Record<'_>, position: Position, out: &mut TraceBuilder) -> At {
        self.events += 1;
        let mut slot = self.threads.current(record.tid, position, out);
        if !self
            .threads
            .slot(slot)
            .is_known_as(record.comm, record.tgid)
        {
            slot = self.learn(slot, record, position, out);
        }
        let at = At {
            ts: record.ts,
            cpu: record.cpu,
            position,
            slot,
            utid: self.threads.slot(slot).utid,
        };
        let cpu = self.cpu(record.cpu);
        let last_ts = std::mem::replace(&mut cpu.last_ts, record.ts);
        let (current, has_seen) = (cpu.current, cpu.seen.is_some());
        if current == record.tid && record.event.shows_who_runs() {
            cpu.current_ts = record.ts;
        }
        if record.ts < last_ts {
            let back_ns = last_ts - record.ts;
            out.repair(RepairKind::TimeWentBack, 1, at.place(), || {
                format!("CPU {} steps back by {back_ns} ns", record.cpu)
            });
        }
        if current == record.tid {
            self.columns.agreeing += 1;
            if has_seen {
                self.forget_seen(record.cpu);
            }
        } else if current != NOBODY {
            self.seen_elsewhere(at, current, &record.event, out);
        }
        at
    }

    /// Adds information about the thread from a record's columns.
    #[inline(never)]
    fn learn(
        &mut self,
        mut slot: SlotId,
        record: &Record<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) -> SlotId {
        if self.threads.is_elsewhere(slot, record.tgid) {
            slot = self.threads.rebirth(record.tid, record.ts, position, out);
        }
        self.threads.name(slot, record.comm, out);
        self.threads.column_tgid(slot, record.tgid, out);
        slot
    }

    #[inline]
    pub(super) fn cpu(&mut self, cpu: u32) -> &mut Cpu {
        self.cpus.get_mut(cpu as usize)
    }

    #[cold]
    fn unparsed(&mut self, text: &[u8], position: Position, out: &mut TraceBuilder) {
        const SHOWN: usize = 120;
        if self.stack_line(text, position) {
            return;
        }
        // Some scripts append the output of `ps` to a trace.
        if self.dump.line(text.trim_ascii(), out) {
            return;
        }
        out.repair(RepairKind::UnparsedLine, 1, position.place(), || {
            String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned()
        });
    }

    fn cpu_value(
        &mut self,
        at: At,
        kind: CpuValueKind,
        cpu: u32,
        value: i64,
        out: &mut TraceBuilder,
    ) {
        let state = self.cpu(cpu);
        let (track, name, kind) = match kind {
            CpuValueKind::Idle => (&mut state.idle_track, &b"cpuidle"[..], TrackType::CpuIdle),
            CpuValueKind::Frequency => (
                &mut state.frequency_track,
                &b"cpufreq"[..],
                TrackType::CpuFrequency,
            ),
        };
        if *track == TrackId::NONE {
            let name = out.intern(name);
            *track = out.cpu_track(kind, cpu, name);
        }
        out.whole_counter(*track, at.ts, value);
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.finish_stack(out);
        self.dump.finish(out);
        self.repeats.finish(out);
        self.infer_last(out);
        self.finish_history(out);
        self.threads.place_leaders(out);
        self.threads.place_created(out);
        self.place_resident(out);
        self.count_tgids(out);
        self.threads.name_processes(out);
    }

    /// Counts threads for which no column gave a process.
    fn count_tgids(&mut self, out: &mut TraceBuilder) {
        for slot in self.threads.slots() {
            if !slot.tgid_from_column && !slot.is_idle() {
                out.missing_tgid(slot.utid, slot.first_position.place());
            }
        }
    }
}
