//! Texts that are the same for every trace.

/// Texts that some columns use as their values.
pub(super) const WORDS: [&str; 19] = [
    "int",
    "real",
    "string",
    "pointer",
    "slice",
    "counter",
    "single",
    "analysis",
    "info",
    "error",
    "data_loss",
    "uint",
    "bool",
    "null",
    "json",
    "trace",
    "multi",
    "state",
    "notice",
];

/// The positions of texts in [`WORDS`].
pub(super) const INT: usize = 0;
pub(super) const REAL: usize = 1;
pub(super) const STRING: usize = 2;
pub(super) const POINTER: usize = 3;
pub(super) const SLICE_EVENTS: usize = 4;
pub(super) const COUNTER_EVENTS: usize = 5;
pub(super) const SINGLE: usize = 6;
pub(super) const ANALYSIS: usize = 7;
pub(super) const INFO: usize = 8;
pub(super) const ERROR: usize = 9;
pub(super) const DATA_LOSS: usize = 10;
pub(super) const UINT: usize = 11;
pub(super) const BOOL: usize = 12;
pub(super) const NULL: usize = 13;
pub(super) const JSON: usize = 14;
pub(super) const TRACE: usize = 15;
pub(super) const MULTI: usize = 16;
pub(super) const STATE_EVENTS: usize = 17;
pub(super) const NOTICE: usize = 18;
