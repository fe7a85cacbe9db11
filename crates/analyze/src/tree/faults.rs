//! What is counted while records are read, and told at the end.

use traceloom_trace::{MethodEvent, MethodIndex, Place};

/// What goes wrong within batches: how often, and the first place.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub unmatched: Fault,
    pub missing: Fault,
    pub negative: Fault,
    /// Records left out because the file does not pay for the paths they lead to.
    pub beyond: Fault,
}

#[derive(Debug, Default)]
pub(super) struct Fault {
    pub count: u64,
    pub first: Option<(Place, MethodIndex)>,
}

impl Fault {
    #[cold]
    pub fn add(&mut self, count: u64, event: MethodEvent) {
        self.count += count;
        self.first.get_or_insert_with(|| {
            let place = Place::at_offset(event.offset).with_ts(event.wall_ns);
            (place, event.method())
        });
    }
}
