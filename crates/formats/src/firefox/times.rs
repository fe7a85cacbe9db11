//! The times of a table, ms.

use super::table::Object;

/// The time of each row, or the time since the row before.
pub(super) fn times(table: &Object<'_>) -> Vec<Option<f64>> {
    if table.has_column("time") {
        return table.numbers("time");
    }
    let mut ms = 0.0;
    let deltas = table.numbers("timeDeltas").into_iter();
    let times = deltas.map(|delta| {
        ms += delta?;
        Some(ms)
    });
    times.collect()
}

/// Converts milliseconds to nanoseconds.
pub(super) fn ns(ms: f64) -> i64 {
    (ms * 1e6).round() as i64
}
