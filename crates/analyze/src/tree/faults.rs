//! Problems that are counted while records are read, and reported at the end.

use traceloom_trace::{MethodEvent, MethodIndex, Place};

/// Problems within batches: the number, and the first place.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub unmatched: Fault,
    pub missing: Fault,
    pub negative: Fault,
    /// Records left out because the number of paths would exceed the limit for the size of the
    /// file.
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
