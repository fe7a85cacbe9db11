//! Counts events without storing them, which measures the cost of decoding alone.

use super::feed::{RawSink, Unreadable, feed};
use super::formats::RawFormats;
use super::merge::CpuBytes;
use super::pages::PageFault;
use crate::ftrace::event::{Event, FieldList, Record};

/// The number of events of each kind in a ring buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventTally {
    /// All events that could be read.
    pub events: u64,
    /// Switches to another thread.
    pub switches: u64,
    /// Wake-ups.
    pub wakes: u64,
    /// Markers of programs.
    pub marks: u64,
    /// Other events, which have fields.
    pub others: u64,
    /// The number of their fields.
    pub fields: u64,
    /// Missing or broken pages and records, and records of unknown events.
    pub faults: u64,
}

impl RawSink for &mut EventTally {
    #[inline]
    fn record(&mut self, record: &Record<'_>, fields: FieldList<'_>, _: u64) {
        self.events += 1;
        match record.event {
            Event::Switch(_) => self.switches += 1,
            Event::Wake(_) => self.wakes += 1,
            Event::Mark(_) => self.marks += 1,
            _ => self.others += 1,
        }
        self.fields += fields.values.len() as u64;
    }

    fn repeated(&mut self, record: &Record<'_>, _: &[u8], fields: FieldList<'_>, offset: u64) {
        self.record(record, fields, offset);
    }

    fn fault(&mut self, _: PageFault, _: u32, _: u64) {
        self.faults += 1;
    }

    fn unreadable(&mut self, _: Unreadable, _: u64, _: i64) {
        self.faults += 1;
    }
}

/// Decodes and counts all events of `cpus` in order of time.
pub fn tally(formats: &RawFormats, cpus: &[CpuBytes<'_>]) -> EventTally {
    let mut tally = EventTally::default();
    feed(formats, cpus, &mut tally);
    tally
}
