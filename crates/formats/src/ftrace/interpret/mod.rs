//! From events to tables. The interpreter takes events in the order of the input and calls the
//! builder; it sees no bytes of lines.
//!
//! An event whose content is in tables has no row of its own: switches and wake-ups (but for the
//! target CPU of a wake-up, which the next switch shows), markers, counters and the two ends of a
//! slice, whose fields are the slice's arguments. Every other event is a row with its fields, and
//! so is one whose rule could not read it, such as an end without a begin.
//!
//! tid 0 is one thread, `swapper`, although each CPU has an idle thread of its own; it is in no
//! process and has no states.

mod args;
mod binder;
mod disk;
mod graph;
mod header;
mod irq;
mod kernel;
mod marker;
mod memory;
mod power;
mod rules;
mod sched;
mod slices;
mod threads;

use std::sync::Arc;

use traceloom_trace::{
    AsyncLanes, Place, RepairKind, RowId, SchedTracker, ThreadId, TraceBuilder, TrackId, TrackKind,
};

use super::event::{CpuValueKind, Event, FieldList, Record};
use super::piece::Piece;
use crate::rules::EventRules;
use args::{Fields, KeysId};
use binder::Binder;
use graph::GraphCpu;
use header::Story;
use kernel::Kernel;
use memory::Memory;
use threads::{SlotId, Threads};

/// Where an event stands in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Position {
    /// The line of a text, from 1.
    Line(u64),
    /// The byte at which a binary record begins.
    Byte(u64),
}

impl Position {
    /// The same for people.
    pub fn place(self) -> Place {
        match self {
            Self::Line(line) => Place::at_line(line),
            Self::Byte(offset) => Place::at_offset(offset),
        }
    }
}

/// Where and when an event happened, and in which thread.
#[derive(Clone, Copy, Debug)]
struct At {
    ts: i64,
    cpu: u32,
    position: Position,
    slot: SlotId,
    utid: ThreadId,
}

impl At {
    fn place(self) -> Place {
        self.position.place().with_ts(self.ts)
    }
}

/// What is remembered of a CPU.
#[derive(Clone, Copy, Debug)]
struct Cpu {
    last_ts: i64,
    idle_track: TrackId,
    frequency_track: TrackId,
}

const NEW_CPU: Cpu = Cpu {
    last_ts: i64::MIN,
    idle_track: TrackId::NONE,
    frequency_track: TrackId::NONE,
};

/// Fills a trace from ftrace events.
#[derive(Debug, Default)]
pub(crate) struct Interpreter {
    threads: Threads,
    cpus: Vec<Cpu>,
    sched: SchedTracker,
    lanes: AsyncLanes,
    binder: Binder,
    memory: Memory,
    graph: Vec<GraphCpu>,
    kernel: Kernel,
    /// The block device that a request went to last, and its track.
    disk: Option<(Vec<u8>, TrackId)>,
    story: Story,
    /// Pieces before the current one, and lines.
    pieces: u64,
    lines: u64,
    /// Events so far.
    events: u64,
    /// Whether marks are as long as they were written: libcutils' limit may have cut them, nothing else.
    marks_are_whole: bool,
}

impl Interpreter {
    pub fn new(rules: Arc<EventRules>) -> Self {
        Self {
            kernel: Kernel::new(rules),
            ..Self::default()
        }
    }

    /// For marks that only their writer may have cut.
    pub fn of_whole_marks(rules: Arc<EventRules>) -> Self {
        Self {
            marks_are_whole: true,
            ..Self::new(rules)
        }
    }

    /// Takes the next piece of the input.
    pub fn piece(&mut self, piece: &Piece<'_>, out: &mut TraceBuilder) {
        let mut records = piece.records();
        while let Some(record) = records.next() {
            let position = Position::Line(self.lines + u64::from(record.line) + 1);
            let fields = match record.event {
                Event::Fields(event) => {
                    let keys = KeysId::of_shape(self.pieces, event.shape);
                    Fields::new(records.fields(), keys)
                }
                _ => Fields::NONE,
            };
            self.record(&record, fields, position, out);
        }
        self.pieces += 1;
        self.lines += u64::from(piece.lines);
    }

    /// Takes one binary record, which begins at byte `offset`, and its fields.
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

    /// The track of the record's thread, for what is no event of ftrace.
    pub fn track_of(
        &mut self,
        record: &Record<'_>,
        offset: u64,
        out: &mut TraceBuilder,
    ) -> TrackId {
        let at = self.locate(record, Position::Byte(offset), out);
        self.threads.track(at.slot, out)
    }

    /// Another thread has the record's tid from here on.
    pub fn reborn(&mut self, record: &Record<'_>, offset: u64, out: &mut TraceBuilder) {
        self.threads
            .rebirth(record.tid, record.ts, Position::Byte(offset), out);
    }

    /// An end whose begin is not there.
    pub fn unmatched(&mut self, offset: u64, ts: i64) {
        self.story
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
            Event::Graph(row) if record.comm.is_empty() || !row.timed => {
                return self.graph_row(record, row, position, out);
            }
            // systrace ends its output with such a line, at time 0: it says which clock was used.
            Event::Mark(mark) if record.ts == 0 && record.tid == 0 && mark.is_clock() => {
                self.events += 1;
                return marker::clock_mark(position.place().with_ts(0), mark, out);
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
            Event::Header(_) | Event::Unparsed(_) => {}
        }
    }

    /// Notes what the front of a line says, and finds the thread.
    #[inline]
    fn locate(&mut self, record: &Record<'_>, position: Position, out: &mut TraceBuilder) -> At {
        self.events += 1;
        let mut slot = self.threads.of(record.tid, position, out);
        if !self.threads.slot(slot).is_as_told(record.comm, record.tgid) {
            slot = self.told(slot, record, position, out);
        }
        let at = At {
            ts: record.ts,
            cpu: record.cpu,
            position,
            slot,
            utid: self.threads.slot(slot).utid,
        };
        let last_ts = std::mem::replace(&mut self.cpu(record.cpu).last_ts, record.ts);
        if record.ts < last_ts {
            let back_ns = last_ts - record.ts;
            out.repair(RepairKind::TimeWentBack, 1, at.place(), || {
                format!("CPU {} steps back by {back_ns} ns", record.cpu)
            });
        }
        at
    }

    /// Takes from the front of a line what it says of its thread that was not known.
    #[inline(never)]
    fn told(
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
    fn cpu(&mut self, cpu: u32) -> &mut Cpu {
        let index = cpu as usize;
        if index >= self.cpus.len() {
            self.cpus.resize(index + 1, NEW_CPU);
        }
        &mut self.cpus[index]
    }

    #[cold]
    fn unparsed(&mut self, text: &[u8], position: Position, out: &mut TraceBuilder) {
        const SHOWN: usize = 120;
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
        let (track, name) = match kind {
            CpuValueKind::Idle => (&mut state.idle_track, &b"cpuidle"[..]),
            CpuValueKind::Frequency => (&mut state.frequency_track, &b"cpufreq"[..]),
        };
        if *track == TrackId::NONE {
            let name = out.intern(name);
            *track = out.cpu_track(TrackKind::CpuCounter, cpu, name);
        }
        out.counter(*track, at.ts, value as f64);
    }

    /// The input is over.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.finish_story(out);
        self.threads.place_leaders(out);
        self.count_tgids(out);
        threads::name_processes(out);
    }

    /// Counts the threads whose process no column told.
    fn count_tgids(&mut self, out: &mut TraceBuilder) {
        for slot in self.threads.slots() {
            if slot.tgid_from_column || slot.is_idle() {
                continue;
            }
            let known = out
                .trace()
                .threads
                .upid
                .get(slot.utid.row())
                .some()
                .is_some();
            let kind = if known {
                RepairKind::MissingTgid
            } else {
                RepairKind::UnknownProcess
            };
            let tid = slot.tid;
            out.repair(kind, 1, slot.first_position.place(), || {
                format!("thread {tid}")
            });
        }
    }
}
