//! Markers that synchronise clocks.

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use crate::ftrace::event::Mark;

/// Adds the sync point of a clock marker.
pub(super) fn clock_mark(place: Place, mark: Mark<'_>, out: &mut TraceBuilder) {
    let ts = place.ts.unwrap_or(0);
    let row = ClockRow {
        source: SourceId::NONE,
        clock: ClockKind::Monotonic,
        ts,
        value_ns: 0,
        precision_ns: 0,
        name: String::new(),
    };
    match mark {
        Mark::ParentTime {
            value_ns,
            precision_ns,
        } => {
            out.clock(ClockRow {
                value_ns,
                precision_ns,
                ..row
            });
        }
        Mark::Realtime { value_ms } => out.clock(ClockRow {
            clock: ClockKind::Realtime,
            value_ns: value_ms.saturating_mul(1_000_000),
            precision_ns: 1_000_000,
            ..row
        }),
        Mark::SyncName { name } => out.clock(ClockRow {
            clock: ClockKind::Trace,
            value_ns: ts,
            name: String::from_utf8_lossy(name).into_owned(),
            ..row
        }),
        Mark::BadSync { text } => out.repair(RepairKind::BadClockSync, 1, place, || {
            String::from_utf8_lossy(&text[..text.len().min(120)]).into_owned()
        }),
        _ => {}
    }
}
