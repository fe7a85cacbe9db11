//! The rows of `clock_snapshot`, with Perfetto's names of clocks.

use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, StringId, Trace};

/// `BUILTIN_CLOCK_BOOTTIME`, the clock of a Perfetto trace that does not name another one.
const BOOTTIME: i64 = 6;

/// A reading of a clock.
#[derive(Debug)]
pub(super) struct Reading {
    /// Time on the trace's clock, ns.
    pub ts: i64,
    /// Perfetto's number of the clock (`BuiltinClock`), if it has one.
    pub id: Option<i64>,
    pub clock: StringId,
    pub value_ns: i64,
    /// The number of the snapshot: the clocks that were read at the same time.
    pub snapshot: i64,
    pub precision_ns: i64,
    pub marker: StringId,
    pub source: SourceId,
}

/// The readings of a trace, in order of time. Each snapshot of a Perfetto trace begins with the trace's own clock.
pub(super) fn readings(trace: &Trace, intern: &mut dyn FnMut(&str) -> StringId) -> Vec<Reading> {
    let is_same = |one: &ClockRow, next: &ClockRow| (one.ts, one.source) == (next.ts, next.source);
    let own = own_clock(trace);
    let mut readings = Vec::new();
    for (snapshot, rows) in (0..).zip(trace.clocks.chunk_by(is_same)) {
        let own = own.filter(|own| rows.iter().all(|row| row.clock != *own));
        let own = own.filter(|_| is_perfetto(trace, rows[0].source));
        let own = own.map(|clock| own_reading(clock, &rows[0]));
        for row in own.iter().chain(rows) {
            readings.push(reading(row, snapshot, intern));
        }
    }
    readings
}

fn reading(row: &ClockRow, snapshot: i64, intern: &mut dyn FnMut(&str) -> StringId) -> Reading {
    let known = builtin(row.clock);
    Reading {
        ts: row.ts,
        id: known.map(|(id, _)| id),
        clock: intern(known.map_or(row.clock.name(), |(_, name)| name)),
        value_ns: row.value_ns,
        snapshot,
        precision_ns: row.precision_ns,
        marker: intern(&row.name),
        source: row.source,
    }
}

/// The number and the name of a clock in Perfetto (`ClockTracker::GetBuiltinClockNameOrNull`).
fn builtin(clock: ClockKind) -> Option<(i64, &'static str)> {
    match clock {
        ClockKind::Realtime => Some((1, "REALTIME")),
        ClockKind::Monotonic => Some((3, "MONOTONIC")),
        ClockKind::Boot => Some((BOOTTIME, "BOOTTIME")),
        _ => None,
    }
}

/// The trace's own clock, for a Perfetto trace whose clock is well-known.
fn own_clock(trace: &Trace) -> Option<ClockKind> {
    let recorded = trace.metadata("trace_time_clock_id");
    let number: i64 = recorded.map_or(Some(BOOTTIME), |recorded| recorded.parse().ok())?;
    let is_it = |clock: &ClockKind| builtin(*clock).is_some_and(|(id, _)| id == number);
    ClockKind::ALL.iter().copied().find(is_it)
}

fn is_perfetto(trace: &Trace, source: SourceId) -> bool {
    let row = source.some().map(|source| source.row());
    row.filter(|row| *row < trace.sources.len())
        .is_some_and(|row| trace.strings.get(trace.sources.format.get(row)) == "perfetto")
}

/// The reading of the trace's own clock at the time of another reading.
fn own_reading(clock: ClockKind, other: &ClockRow) -> ClockRow {
    ClockRow {
        source: other.source,
        clock,
        ts: other.ts,
        value_ns: other.ts,
        precision_ns: 0,
        name: String::new(),
    }
}
