//! Counts track events, and parts of them, that are too incomplete to be read.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

/// The number of skipped events or values of each kind.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    /// Events without a type or with an unknown type.
    pub of_unknown_type: u64,
    /// Counter events without a value.
    pub without_value: u64,
    /// Extra counter values without a track.
    pub without_track: u64,
}

impl Skipped {
    pub fn report(&self, out: &mut TraceBuilder) {
        let kinds = [
            (self.of_unknown_type, "track events of an unknown type"),
            (self.without_value, "events of counters without a value"),
            (self.without_track, "values of counters without a track"),
        ];
        for (count, detail) in kinds {
            out.repair(RepairKind::BadField, count, Place::default(), || {
                detail.to_owned()
            });
        }
    }
}
