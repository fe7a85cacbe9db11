//! Begins of slices that are also stored as events, because their ends came later or never.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, Trace};

use super::kernel::Pair;
use crate::ftrace::pairs::{Again, waiting_begins};

/// The number of stored events by time and name, and the places of the lines of those that began a
/// slice.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    stored: FxHashMap<(i64, StringId), usize>,
    places: FxHashMap<(i64, StringId), VecDeque<u64>>,
}

impl Waiting {
    pub fn new(trace: &Trace) -> Self {
        let names = waiting_begins().filter_map(|name| trace.strings.lookup(name));
        let names: Vec<StringId> = names.collect();
        let mut stored = FxHashMap::default();
        if !names.is_empty() {
            let events = trace.ftrace_events.rows();
            for event in events.filter(|event| names.contains(&event.name)) {
                *stored.entry((event.ts, event.name)).or_default() += 1;
            }
        }
        let places = FxHashMap::default();
        Self { stored, places }
    }

    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// Whether a stored event began a slice. Its line then gets the position `place`.
    pub fn claim(&mut self, trace: &Trace, pair: Pair, ts: i64, place: u64) -> bool {
        let waits = pair.entry.is_some_and(|entry| entry.again == Again::Waits);
        let name = trace.strings.lookup(pair.begin).filter(|_| waits);
        let Some(key) = name.map(|name| (ts, name)) else {
            return false;
        };
        let Some(left) = self.stored.get_mut(&key).filter(|left| **left > 0) else {
            return false;
        };
        *left -= 1;
        self.places.entry(key).or_default().push_back(place);
        true
    }

    /// The position of the line of a stored event, if the event began a slice.
    pub fn place(&mut self, ts: i64, name: StringId) -> Option<u64> {
        self.places.get_mut(&(ts, name))?.pop_front()
    }
}
