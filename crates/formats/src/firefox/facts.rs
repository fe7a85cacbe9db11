//! What a profile says about itself.

use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, TraceBuilder};

use super::table::Object;
use super::times::{ns, time_of};

/// Stores what the profile says about itself, and the clocks at its start.
pub(super) fn add_facts(meta: &Object<'_>, out: &mut TraceBuilder) {
    for (key, value) in meta.fields() {
        if let Some(text) = value.text().filter(|text| *text != b"null") {
            let key = format!("firefox_metadata.{}", String::from_utf8_lossy(key));
            out.metadata(&key, &String::from_utf8_lossy(text));
        }
    }
    let clocks = [
        (
            ClockKind::Realtime,
            time_of(meta.number("startTime")).map(ns),
            1_000_000,
        ),
        (
            ClockKind::Monotonic,
            meta.number("startTimeAsClockMonotonicNanosecondsSinceBoot")
                .map(|ns| ns as i64),
            1,
        ),
    ];
    for (clock, value, precision_ns) in clocks {
        if let Some(value_ns) = value.filter(|value| *value > 0) {
            out.clock(ClockRow {
                source: SourceId::NONE,
                clock,
                ts: 0,
                value_ns,
                precision_ns,
                name: String::new(),
            });
        }
    }
}
