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
//! A record without a time takes effect directly after the records that are complete when it is read.

use super::events::Events;
use super::records::{Record, kind};
use super::sample::Task;
use crate::ring_buffer::ByteOrder;

/// A record with its time, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed<'a> {
    /// `None` if the record has no time.
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
    /// The last time so far, and the last time when the last round ended, ns.
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
        let ts = events.list.get(event).and_then(|event| {
            let attr = &event.attr;
            match record.kind {
                kind::SAMPLE => attr.time_of_sample(record.cursor(order)),
                _ => attr.time_of_other(record.payload, order),
            }
        });
        let ts = ts.filter(|ts| *ts != 0);
        self.last = self.last.max(ts.unwrap_or(0));
        self.records.push(Timed {
            ts,
            key: ts.unwrap_or(self.complete),
            record,
            event: event as u32,
        });
    }

    /// Ends a round.
    pub fn end_round(&mut self) {
        self.complete = self.last_of_round;
        self.last_of_round = self.last;
    }

    /// The records, sorted by time. Records with the same time keep their order.
    pub fn sorted(mut self) -> Vec<Timed<'a>> {
        self.records.sort_by_key(|record| record.key);
        self.records
    }
}

/// Whether a record begins with a process and a thread, as all records about them do.
pub(super) fn has_task(record: &Record<'_>, order: ByteOrder) -> bool {
    Task::parse(&mut record.cursor(order)).is_some()
}
