//! Puts records in order of time.
//!
//! The kernel has a buffer for each CPU. In each round, perf copies all buffers into the file, one after the other, and
//! then writes a record that ends the round. From then on, everything up to the last time of the *previous* round is
//! complete:
//!
//! ```text
//! 5 9 | 7 12 | 11 15        round 1: up to 9, round 2: up to 12, …
//!     ▲ nothing is complete
//!            ▲ 5 7 9 are complete
//! ```
//! A record without a time takes effect at once, which is after those that are complete. A sample always gets a time:
//! that of the sample or record before it in the file. If there are no times at all, the samples stand one millisecond
//! apart, in the order of the file.

use super::events::Events;
use super::records::{Record, kind};
use super::sample::Task;
use crate::bytes::ByteOrder;

/// Times from here on mean the end of the recording: perf writes them into the samples that it makes at its end
/// (`perf record --off-cpu`).
const AT_THE_END: u64 = u64::MAX << 32;

/// The distance of samples in a file without times, ns.
const STEP_NS: u64 = 1_000_000;

/// A record with its time, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed<'a> {
    /// `None` if it has no time of its own, and is no sample.
    pub ts: Option<u64>,
    /// The sort key, ns.
    key: u64,
    pub record: Record<'a>,
    /// The index of its event.
    pub event: u32,
}

/// Collects records.
#[derive(Debug, Default)]
pub(super) struct Queue<'a> {
    records: Vec<Timed<'a>>,
    /// The samples whose times are those of others.
    pub rebuilt: u64,
    /// The time of the first record in the file that has one, and of the one before.
    first: Option<u64>,
    before: Option<u64>,
    /// The last time so far, and that at the end of the last round.
    last: u64,
    last_of_round: u64,
    /// Records up to this time are complete, ns.
    complete: u64,
}

impl<'a> Queue<'a> {
    /// Adds a record of an event.
    pub fn push(
        &mut self,
        record: Record<'a>,
        events: &Events<'a>,
        event: usize,
        order: ByteOrder,
    ) {
        let own = events.list.get(event).and_then(|event| {
            let attr = &event.attr;
            match record.kind {
                kind::SAMPLE => attr.time_of_sample(record.cursor(order)),
                _ => attr.time_of_other(record.payload, order),
            }
        });
        let own = own.filter(|ts| *ts != 0);
        let is_sample = record.kind == kind::SAMPLE;
        let (ts, key) = match own {
            Some(end) if is_sample && end >= AT_THE_END => (None, end),
            Some(ts) => {
                self.saw(ts);
                (Some(ts), ts)
            }
            None if is_sample => (self.before, self.before.unwrap_or(0)),
            None => (None, self.complete),
        };
        self.rebuilt += u64::from(is_sample && (own.is_none() || ts.is_none()));
        self.records.push(Timed {
            ts,
            key,
            record,
            event: event as u32,
        });
    }

    fn saw(&mut self, ts: u64) {
        if i64::try_from(ts).is_err() {
            return;
        }
        self.first.get_or_insert(ts);
        self.before = Some(ts);
        self.last = self.last.max(ts);
    }

    /// A round ends.
    pub fn end_round(&mut self) {
        self.complete = self.last_of_round;
        self.last_of_round = self.last;
    }

    /// The records, sorted by time. Records with the same time keep their order.
    pub fn sorted(mut self) -> Vec<Timed<'a>> {
        self.place_samples();
        self.records.sort_by_key(|record| record.key);
        self.records
    }

    /// Gives a time to each sample that still has none.
    fn place_samples(&mut self) {
        let samples = self.records.iter_mut();
        let samples = samples.filter(|timed| timed.record.kind == kind::SAMPLE);
        let without = samples.filter(|timed| timed.ts.is_none());
        for (nth, timed) in (0..).zip(without) {
            timed.ts = Some(match self.first {
                None => nth * STEP_NS,
                Some(_) if timed.key >= AT_THE_END => self.last,
                Some(first) => {
                    timed.key = first;
                    first
                }
            });
        }
    }
}

/// Whether a record begins with a process and a thread, as all records about them do.
pub(super) fn has_task(record: &Record<'_>, order: ByteOrder) -> bool {
    Task::parse(&mut record.cursor(order)).is_some()
}
