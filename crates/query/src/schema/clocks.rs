//! The rows of `clock_snapshot`, with Perfetto's names of clocks.

use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, StringId, Trace};

/// `BUILTIN_CLOCK_BOOTTIME`, the clock of a Perfetto trace that does not name another one.
const BOOTTIME: i64 = 6;

/// What a clock showed.
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

/// The readings of a trace, in order of time. In Perfetto's traces, a snapshot begins with the trace's own clock.
pub(super) fn readings(trace: &Trace, intern: &mut dyn FnMut(&str) -> StringId) -> Vec<Reading> {
    let is_same = |one: &ClockRow, next: &ClockRow| (one.ts, one.source) == (next.ts, next.source);
    let mut readings = Vec::new();
    for (snapshot, rows) in (0..).zip(trace.clocks.chunk_by(is_same)) {
        let own = own_clock(trace, &rows[0]);
        let own = own.filter(|own| rows.iter().all(|row| row.clock != own.clock));
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

/// The trace's own clock at the time of a reading of a Perfetto trace, if it is well-known.
fn own_clock(trace: &Trace, row: &ClockRow) -> Option<ClockRow> {
    let source = row.source.some()?.row();
    let format = (source < trace.sources.len()).then(|| trace.sources.format.get(source))?;
    if trace.strings.get(format) != "perfetto" {
        return None;
    }
    let told = trace.metadata("trace_time_clock_id");
    let number = told.map_or(Some(BOOTTIME), |told| told.parse().ok())?;
    let clock = *ClockKind::ALL
        .iter()
        .find(|clock| builtin(**clock).is_some_and(|(id, _)| id == number))?;
    Some(ClockRow {
        clock,
        value_ns: row.ts,
        precision_ns: 0,
        name: String::new(),
        ..row.clone()
    })
}
