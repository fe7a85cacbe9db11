//! Ring buffers into the tables of a trace.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::feed::{RawSink, Unreadable, feed};
use super::formats::RawFormats;
use super::merge::CpuBytes;
use super::pages::PageFault;
use crate::format::ReadOptions;
use crate::ftrace::Interpreter;
use crate::ftrace::event::{Event, Field, Record};

/// Reads ring buffers into a trace. The same reader takes one batch of pages after the other, as a
/// recorder gives them; threads, open slices and the scheduler's story go on from batch to batch.
pub struct RawReader {
    interpreter: Interpreter,
    budget: Budget,
    first_ts: Option<i64>,
    lost: FxHashMap<u32, u64>,
}

/// How much the tables may take. Formats say freely where fields are, so that a few bytes could be
/// told as any number of arguments; what a kernel records stays far below.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// Bytes of tables that are paid for and not used.
    left: i64,
}

/// Tables of this size are free, bytes.
const FREE_BYTES: i64 = 16 << 20;
/// Bytes of tables that a byte of pages pays for.
const PAID_PER_BYTE: i64 = 7;
/// What an event may take at most: its row, or a slice with the states of two threads.
const EVENT_BYTES: i64 = 100;
/// What an argument takes.
const FIELD_BYTES: i64 = 24;
/// What a thread takes that was not there before.
const THREAD_BYTES: i64 = 400;

impl RawReader {
    /// A reader that knows nothing yet.
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            interpreter: Interpreter::new(options.rules.clone()),
            budget: Budget { left: FREE_BYTES },
            first_ts: None,
            lost: FxHashMap::default(),
        }
    }

    /// Reads the pages of all CPUs, in order of time.
    pub fn read(&mut self, formats: &RawFormats, cpus: &[CpuBytes<'_>], out: &mut TraceBuilder) {
        let bytes: usize = cpus.iter().map(|cpu| cpu.bytes.len()).sum();
        self.budget.left += bytes as i64 * PAID_PER_BYTE;
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
    fn record(&mut self, record: &Record<'_>, fields: &[Field<'_>], offset: u64) {
        let costs = EVENT_BYTES + fields.len() as i64 * FIELD_BYTES;
        if self.reader.budget.left < costs {
            return self.beyond(record, offset);
        }
        let threads = self.out.trace().threads.len();
        let (interpreter, out) = (&mut self.reader.interpreter, &mut *self.out);
        let tables = match record.event {
            Event::Fields(_) => costs,
            _ => EVENT_BYTES,
        };
        self.reader.first_ts.get_or_insert(record.ts);
        interpreter.binary(record, fields, offset, out);
        let threads = out.trace().threads.len() - threads;
        self.reader.budget.left -= tables + threads as i64 * THREAD_BYTES;
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
