//! Times in the page's form: f64 nanoseconds from an origin.

use traceloom_trace::NO_DURATION;

/// The origin of the page's times, ns on the trace's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin(pub i64);

impl Origin {
    /// Converts `ns` to the trace's clock, rounded down and clamped to the i64 range.
    pub fn absolute(self, ns: f64) -> i64 {
        let (whole, size) = (ns.floor(), ns.floor().abs() as u64);
        if whole < 0.0 {
            self.0.saturating_sub_unsigned(size)
        } else {
            self.0.saturating_add_unsigned(size)
        }
    }

    /// Converts `ts` to the page's time. The result is exact to the nanosecond for 104 days.
    pub fn relative(self, ts: i64) -> f64 {
        let size = ts.abs_diff(self.0) as f64;
        if ts < self.0 { -size } else { size }
    }
}

/// A duration for the page. -1, which means that a slice never ended, stays -1.
pub(crate) fn duration(dur_ns: i64) -> f64 {
    match dur_ns {
        NO_DURATION => -1.0,
        dur => dur as f64,
    }
}
