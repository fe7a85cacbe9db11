//! Times, ms.

use super::table::Object;

/// The largest time, ms. The wall clock reaches it in 2065. The sum of two such times fits into nanoseconds.
const MOST_MS: f64 = 3e12;

/// A time, unless it is too large for the trace.
pub(super) fn time_of(number: Option<f64>) -> Option<f64> {
    number.filter(|ms| ms.abs() <= MOST_MS)
}

/// The time of each row, or the time since the row before.
pub(super) fn times(table: &Object<'_>) -> Vec<Option<f64>> {
    if table.has_column("time") {
        return times_in(table, "time");
    }
    let mut ms = 0.0;
    let deltas = times_in(table, "timeDeltas").into_iter();
    let times = deltas.map(|delta| {
        ms += delta?;
        time_of(Some(ms))
    });
    times.collect()
}

/// The times in a column.
pub(super) fn times_in(table: &Object<'_>, column: &str) -> Vec<Option<f64>> {
    let cells = table.column(column);
    cells.map(|cell| time_of(cell.number())).collect()
}

/// Converts milliseconds to nanoseconds.
pub(super) fn ns(ms: f64) -> i64 {
    (ms * 1e6).round() as i64
}
