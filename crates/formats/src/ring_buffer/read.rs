//! Reads ring buffers into the tables of a trace.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::feed::{RawSink, Unreadable, feed};
use super::formats::RawFormats;
use super::merge::CpuBytes;
use super::pages::PageFault;
use crate::format::ReadOptions;
use crate::ftrace::Interpreter;
use crate::ftrace::event::{FieldList, Record};

/// Reads ring buffers into a trace. The same reader takes one batch of pages after the other, as a
/// recorder gives them; threads, open slices and the scheduler's story go on from batch to batch.
pub struct RawReader {
    interpreter: Interpreter,
    budget: Budget,
    first_ts: Option<i64>,
    lost: FxHashMap<u32, u64>,
}

/// How much the tables may take. Formats say freely where fields are, so that a few bytes could be
/// told as any number of arguments or threads; what a kernel records comes to less than half of it.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// Bytes of all pages so far.
    pages: usize,
    /// What the events since the last look may have taken, bytes.
    since_look: usize,
    is_spent: bool,
}

/// Tables of this size are free, bytes.
const FREE_BYTES: usize = 16 << 20;
/// Bytes of tables that a byte of pages pays for.
const PAID_PER_BYTE: usize = 9;
/// How much may come between two looks at the tables, bytes.
const LOOK_AFTER: usize = 1 << 20;
/// The most that an event takes but for its fields: two new threads, with what is remembered of them.
const EVENT_BYTES: usize = 1_000;
/// What a field takes.
const FIELD_BYTES: usize = 14;
/// What is remembered of a thread beside its row.
const THREAD_BYTES: usize = 200;

impl Budget {
    /// Whether another event with so many fields may come.
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
    /// A reader that knows nothing yet.
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

    /// How many events a CPU's pages said were lost.
    pub fn lost_events(&self, cpu: u32) -> u64 {
        self.lost.get(&cpu).copied().unwrap_or(0)
    }

    /// The time of the first event, ns; `None` while there is none.
    pub fn first_ts(&self) -> Option<i64> {
        self.first_ts
    }

    /// No more pages come.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.interpreter.finish(out);
    }
}

/// Puts records into tables.
struct Tables<'r, 'o> {
    reader: &'r mut RawReader,
    out: &'o mut TraceBuilder,
}

impl RawSink for Tables<'_, '_> {
    #[inline]
    fn record(&mut self, record: &Record<'_>, fields: FieldList<'_>, offset: u64) {
        if !self.reader.budget.allows(fields.values.len(), self.out) {
            return self.beyond(record, offset);
        }
        let (interpreter, out) = (&mut self.reader.interpreter, &mut *self.out);
        self.reader.first_ts.get_or_insert(record.ts);
        interpreter.binary(record, fields, offset, out);
    }

    fn fault(&mut self, fault: PageFault, cpu: u32, start: u64) {
        let place = |offset: u64| Place::at_offset(start.saturating_add(offset));
        let out = &mut *self.out;
        match fault {
            PageFault::Lost { events, offset } => {
                // Where the page does not say how many, at least one is missing.
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
    #[cold]
    fn beyond(&mut self, record: &Record<'_>, offset: u64) {
        let place = Place::at_offset(offset).with_ts(record.ts);
        self.out.repair(RepairKind::BeyondLimit, 1, place, || {
            "more fields or threads than the pages' size pays for".to_owned()
        });
    }
}
