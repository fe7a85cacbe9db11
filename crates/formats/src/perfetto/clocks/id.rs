//! Clock ids and readings.

use std::fmt;

use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId};

/// `CLOCK_BOOTTIME`. This is the trace's clock, unless a snapshot sets another one.
pub(crate) const BOOTTIME: u32 = 6;

/// `CLOCK_REALTIME`.
pub(super) const REALTIME: u32 = 1;

/// `CLOCK_MONOTONIC`.
pub(crate) const MONOTONIC: u32 = 3;

/// `CLOCK_MONOTONIC_RAW`.
pub(crate) const MONOTONIC_RAW: u32 = 5;

/// `BUILTIN_CLOCK_TRACE_FILE`, a clock that exists only in the file.
pub(super) const TRACE_FILE: u32 = 11;

/// The first and the last number of the clocks that are local to a sequence.
pub(crate) const FIRST_OF_SEQUENCE: u32 = 64;
const LAST_OF_SEQUENCE: u32 = 127;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClockId {
    /// The sequence of a sequence-local clock, 0 for a clock of the whole machine.
    pub(super) sequence: u32,
    pub(super) machine: u32,
    pub(super) number: u32,
}

impl ClockId {
    pub fn new(number: u32, sequence: u32, machine: u32) -> Self {
        let own = (FIRST_OF_SEQUENCE..=LAST_OF_SEQUENCE).contains(&number);
        Self {
            sequence: if own { sequence } else { 0 },
            machine,
            number,
        }
    }

    /// The number in `ClockSnapshot` and `timestamp_clock_id`.
    pub fn number(self) -> u32 {
        self.number
    }
}

impl fmt::Display for ClockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, self.sequence) {
            (REALTIME, _) => f.write_str("CLOCK_REALTIME"),
            (MONOTONIC, _) => f.write_str("CLOCK_MONOTONIC"),
            (MONOTONIC_RAW, _) => f.write_str("CLOCK_MONOTONIC_RAW"),
            (BOOTTIME, _) => f.write_str("CLOCK_BOOTTIME"),
            (number, 0) => write!(f, "the clock {number}"),
            (number, sequence) => write!(f, "the clock {number} of the sequence {sequence}"),
        }
    }
}

/// The reading of a clock at a time on the trace's clock, if it is a well-known clock of the machine that recorded.
pub(super) fn reading(ts: i64, (clock, value_ns): &(ClockId, i64)) -> Option<ClockRow> {
    if clock.machine != 0 {
        return None;
    }
    Some(row(ts, well_known(clock.number)?, *value_ns))
}

pub(super) fn well_known(number: u32) -> Option<ClockKind> {
    match number {
        REALTIME => Some(ClockKind::Realtime),
        MONOTONIC => Some(ClockKind::Monotonic),
        BOOTTIME => Some(ClockKind::Boot),
        _ => None,
    }
}

pub(super) fn row(ts: i64, clock: ClockKind, value_ns: i64) -> ClockRow {
    ClockRow {
        source: SourceId::NONE,
        clock,
        ts,
        value_ns,
        precision_ns: 0,
        name: String::new(),
    }
}
