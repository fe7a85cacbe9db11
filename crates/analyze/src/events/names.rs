//! The names of a trace's events, with their counts.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, Trace, sort};

use super::EventFilter;

/// The events of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventName {
    /// The name.
    pub name: StringId,
    /// The number of events.
    pub count: u64,
}

/// The names of the events that pass the filter, most frequent first. Ties are in order of their
/// first occurrence.
pub fn event_names(trace: &Trace, filter: &EventFilter) -> Vec<EventName> {
    let mut places: FxHashMap<StringId, usize> = FxHashMap::default();
    let mut names: Vec<EventName> = Vec::new();
    for row in filter.rows(trace) {
        let name = trace.ftrace_events.name.get(row);
        let place = *places.entry(name).or_insert(names.len());
        match names.get_mut(place) {
            Some(known) => known.count += 1,
            None => names.push(EventName { name, count: 1 }),
        }
    }
    sort::by_key(&mut names, |one| Reverse(one.count));
    names
}
