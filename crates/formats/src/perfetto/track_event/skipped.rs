//! Track events, and parts of them, that say too little to be read.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

/// How many there are of each kind.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    /// Events of a type that Perfetto does not define, or of none.
    pub of_unknown_type: u64,
    /// Events of counters without a value.
    pub without_value: u64,
    /// Values of other counters for which no track is named.
    pub without_track: u64,
}

impl Skipped {
    pub fn tell(&self, out: &mut TraceBuilder) {
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
