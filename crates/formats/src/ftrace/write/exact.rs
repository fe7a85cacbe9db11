//! Exact values of counters.

use rustc_hash::FxHashMap;
use traceloom_trace::{CounterRow, Trace, TrackId};

/// The whole numbers that a float cannot hold, by time and track.
pub(super) struct ExactValues {
    values: FxHashMap<(i64, TrackId), Vec<i64>>,
}

impl ExactValues {
    pub fn new(trace: &Trace) -> Self {
        let mut values: FxHashMap<_, Vec<i64>> = FxHashMap::default();
        for row in trace.exact_counters.rows() {
            let of_moment = values.entry((row.ts, row.track_id)).or_default();
            of_moment.push(row.value);
        }
        Self { values }
    }

    /// The value of a counter's row if it is a whole number. Several numbers may have the same
    /// nearest float; then each is returned once, in order.
    pub fn take(&mut self, row: CounterRow) -> Option<i64> {
        let whole = row.value as i64;
        if let Some(values) = self.values.get_mut(&(row.ts, row.track_id))
            && let Some(at) = values.iter().position(|value| *value as f64 == row.value)
        {
            return Some(values.remove(at));
        }
        let is_whole = whole as f64 == row.value && whole.unsigned_abs() <= 1 << 53;
        (is_whole && row.value.to_bits() != (-0.0_f64).to_bits()).then_some(whole)
    }
}
