//! Reads ring buffers into the tables of a trace.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::feed::{Coverage, RawSink, Unreadable, feed, feed_events};
use super::formats::RawFormats;
use super::merge::{CpuBytes, LAST_TS, TimeScale, Timed};
use super::pages::{PageFault, RawEvent};
use crate::format::ReadOptions;
use crate::ftrace::Interpreter;
use crate::ftrace::event::{FieldList, Record};

/// Reads ring buffers into a trace. One reader takes successive batches of pages, as a recorder
/// delivers them. Threads, open slices and scheduling states continue from batch to batch.
pub struct RawReader {
    interpreter: Interpreter,
    budget: Budget,
    first_ts: Option<i64>,
    lost: FxHashMap<u32, u64>,
}

/// Limits the memory for tables. A hostile format can declare any number of overlapping fields, so
/// a few bytes could become any number of arguments or threads. Real recordings need less than half
/// of the limit.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// The number of bytes of all pages so far.
    pages: usize,
    /// The maximum memory that the events since the last check may have used, bytes.
    since_look: usize,
    is_spent: bool,
}

/// The size of tables that is always allowed, bytes.
const FREE_BYTES: usize = 16 << 20;
/// Additional bytes of tables allowed for each byte of pages.
const PAID_PER_BYTE: usize = 9;
/// The maximum memory used between two checks of the tables, bytes.
const LOOK_AFTER: usize = 1 << 20;
/// The maximum memory for an event without its fields: two new threads and their state.
const EVENT_BYTES: usize = 1_000;
/// The memory for a field.
const FIELD_BYTES: usize = 14;
/// The memory for the state of a thread, in addition to its row.
const THREAD_BYTES: usize = 200;

impl Budget {
    /// Whether another event with this many fields is allowed.
    #[inline]
    fn allows(&mut self, fields: usize, out: &TraceBuilder) -> bool {
        self.since_look += EVENT_BYTES + fields * FIELD_BYTES;
        if self.since_look > LOOK_AFTER {
            self.look(out);
        }
        !self.is_spent
    }

    #[cold]
    fn look(&mut self, out: &TraceBuilder) {
        self.since_look = 0;
        let trace = out.trace();
        let taken = trace.heap_bytes() + trace.threads.len() * THREAD_BYTES;
        self.is_spent = taken > FREE_BYTES + self.pages.saturating_mul(PAID_PER_BYTE);
    }
}

impl RawReader {
    /// Creates a reader for a new trace.
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            interpreter: Interpreter::new(options.rules.clone()),
            budget: Budget::default(),
            first_ts: None,
            lost: FxHashMap::default(),
        }
    }

    /// Reads the pages of all CPUs, in order of time.
    pub fn read(&mut self, formats: &RawFormats, cpus: &[CpuBytes<'_>], out: &mut TraceBuilder) {
        let bytes: usize = cpus.iter().map(|cpu| cpu.bytes.len()).sum();
        self.budget.pages = self.budget.pages.saturating_add(bytes);
        feed(formats, cpus, Tables { reader: self, out });
    }

    /// Reads events that another recorder took out of their pages. They are sorted by time.
    pub(crate) fn read_events(
        &mut self,
        formats: &RawFormats,
        coverage: Coverage,
        events: &[PagelessEvent<'_>],
        out: &mut TraceBuilder,
    ) {
        let bytes: usize = events.iter().map(|event| event.data.len()).sum();
        self.budget.pages = self.budget.pages.saturating_add(bytes);
        let numbers: BTreeSet<u32> = events.iter().map(|event| event.cpu).collect();
        let cpus = numbers.iter().map(|cpu| without_pages(*cpu, formats));
        let cpus: Vec<_> = cpus.collect();
        let streams: FxHashMap<u32, usize> = numbers.into_iter().zip(0..).collect();
        let events = events.iter();
        let events = events.map(|event| event.timed(streams[&event.cpu]));
        let tables = Tables { reader: self, out };
        feed_events(formats, &cpus, coverage, events, tables);
    }

    /// The number of events that a CPU's pages report as lost.
    pub fn lost_events(&self, cpu: u32) -> u64 {
        self.lost.get(&cpu).copied().unwrap_or(0)
    }

    /// The time of the first event, ns; `None` if there was none.
    pub fn first_ts(&self) -> Option<i64> {
        self.first_ts
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.interpreter.finish(out);
    }
}

/// An event outside of any page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PagelessEvent<'a> {
    pub cpu: u32,
    /// At most [`LAST_TS`].
    pub ts_ns: i64,
    /// Its position in the file, bytes.
    pub offset: u64,
    pub data: &'a [u8],
}

impl<'a> PagelessEvent<'a> {
    fn timed(&self, stream: usize) -> Timed<'a> {
        let ts = self.ts_ns.clamp(0, LAST_TS);
        let raw = RawEvent {
            ts: ts as u64,
            offset: self.offset,
            data: self.data,
        };
        Timed { stream, ts, raw }
    }
}

fn without_pages(cpu: u32, formats: &RawFormats) -> CpuBytes<'static> {
    CpuBytes {
        cpu,
        buffer: 0,
        bytes: &[],
        layout: formats.layout(),
        offset: 0,
        time: TimeScale::default(),
    }
}

/// Stores records in tables.
struct Tables<'r, 'o> {
    reader: &'r mut RawReader,
    out: &'o mut TraceBuilder,
}

impl RawSink for Tables<'_, '_> {
    #[inline]
    fn record(&mut self, record: &Record<'_>, fields: FieldList<'_>, offset: u64) {
        if self.allows(record, fields, offset) {
            let interpreter = &mut self.reader.interpreter;
            interpreter.binary(record, fields, offset, self.out);
        }
    }

    fn repeated(&mut self, record: &Record<'_>, name: &[u8], fields: FieldList<'_>, offset: u64) {
        if self.allows(record, fields, offset) {
            let interpreter = &mut self.reader.interpreter;
            interpreter.keep(record, name, fields, offset, self.out);
        }
    }

    fn fault(&mut self, fault: PageFault, cpu: u32, start: u64) {
        let place = |offset: u64| Place::at_offset(start.saturating_add(offset));
        let out = &mut *self.out;
        match fault {
            PageFault::Lost { events, offset } => {
                // If the page gives no number, at least one event is missing.
                let lost = events.max(1);
                let all = self.reader.lost.entry(cpu).or_default();
                *all = all.saturating_add(lost);
                self.reader.interpreter.lost_on(cpu);
                out.repair(RepairKind::LostEvents, lost, place(offset), || {
                    format!("CPU {cpu}")
                });
            }
            PageFault::TornPage { offset, bytes } => {
                out.repair(RepairKind::TornRecord, 1, place(offset), || {
                    format!("CPU {cpu}'s last page has {bytes} bytes")
                });
            }
            PageFault::BadCommit { offset, commit } => {
                out.repair(RepairKind::BrokenBlock, 1, place(offset), || {
                    format!("a page of CPU {cpu} says that it has {commit} bytes of data")
                });
            }
            PageFault::BadRecord { offset, bytes } => {
                out.repair(RepairKind::BrokenBlock, 1, place(offset), || {
                    format!("a record reaches beyond its page: {bytes} bytes of CPU {cpu} left out")
                });
            }
        }
    }

    fn unreadable(&mut self, why: Unreadable, offset: u64, ts: i64) {
        let place = Place::at_offset(offset).with_ts(ts);
        let detail = || match why {
            Unreadable::UnknownId(id) => format!("an event with number {id}, which no format has"),
            Unreadable::TooShort(bytes) => format!("an event of {bytes} bytes"),
        };
        self.out.repair(RepairKind::UnknownAction, 1, place, detail);
    }
}

impl Tables<'_, '_> {
    /// Whether the tables have room for an event.
    #[inline]
    fn allows(&mut self, record: &Record<'_>, fields: FieldList<'_>, offset: u64) -> bool {
        let allowed = self.reader.budget.allows(fields.values.len(), self.out);
        if allowed {
            self.reader.first_ts.get_or_insert(record.ts);
        } else {
            self.beyond(record, offset);
        }
        allowed
    }

    #[cold]
    fn beyond(&mut self, record: &Record<'_>, offset: u64) {
        let place = Place::at_offset(offset).with_ts(record.ts);
        self.out.repair(RepairKind::BeyondLimit, 1, place, || {
            "more fields or threads than the pages' size pays for".to_owned()
        });
    }
}
