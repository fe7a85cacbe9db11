//! How the values of counters are meant.

/// How the values of a counter are meant.
#[derive(Clone, Copy)]
pub(super) struct Counting {
    pub builtin: u64,
    pub multiplier: i64,
    /// Whether each value of a sequence is added to the one before, until the sequence clears its state.
    pub is_incremental: bool,
    /// The last value, in the counter's unit.
    pub last: f64,
}
