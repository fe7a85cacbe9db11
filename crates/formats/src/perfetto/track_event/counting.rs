//! The interpretation of counter values.

/// How to interpret the values of a counter, and its last value.
#[derive(Clone, Copy)]
pub(super) struct Counting {
    pub builtin: u64,
    pub multiplier: i64,
    /// Whether the values are deltas. They are summed per sequence until the sequence clears its state.
    pub is_incremental: bool,
    /// The last value, in the counter's unit.
    pub last: f64,
}
