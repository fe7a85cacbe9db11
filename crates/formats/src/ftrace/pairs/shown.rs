//! Finds the events that made a slice, as far as its row shows them. Writers use this.
//!
//! The track, the name and the matching fields of a slice show its pair. If the pair has several events, the first is
//! assumed. A slice of another event keeps that event's name as an argument.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::pair::{Again, Name, On, Pair, Role, parts};
use super::table::PAIRS;

/// The argument with the event that began a slice, if it is not the assumed one. Arguments before
/// it come from that event, those after it from the end.
pub(crate) const BEGIN_EVENT: &str = "begin_event";

/// The argument with the event that ended a slice, if it is not the assumed one.
pub(crate) const END_EVENT: &str = "end_event";

/// The events of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Events {
    pub pair: &'static Pair,
    pub begin: &'static str,
    pub end: &'static str,
}

/// The first value of an argument, as text.
type Arg<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The events of a slice with this name on this track; `None` if no pair makes such a slice.
pub(crate) fn events_of(on: On, track: &str, name: &str, arg: Arg<'_>) -> Option<Events> {
    let mut pairs = on_track(track).iter().filter(|pair| pair.on == on);
    let (pair, begin) = pairs.find_map(|pair| Some((pair, begin_of(pair, name, arg)?)))?;
    let mut ends = pair.ends.iter().map(|event| parts(event).0);
    let end = match arg(END_EVENT) {
        Some(end) => ends.find(|event| *event == end),
        None => ends.next(),
    };
    end.map(|end| Events { pair, begin, end })
}

/// The event of this pair that began the slice.
fn begin_of(pair: &Pair, name: &str, arg: Arg<'_>) -> Option<&'static str> {
    let has = |keys: &&str| keys.split('|').any(|key| arg(key).is_some());
    if !pair.keys.iter().all(has) || !is_named(pair, name, arg) {
        return None;
    }
    let mut begins = pair.begins.iter().map(|event| parts(event).0);
    match (arg(BEGIN_EVENT), pair.name) {
        (Some(begin), _) => begins.find(|event| *event == begin),
        (None, Name::Event) => begins.find(|event| *event == name),
        (None, _) => begins.next(),
    }
}

/// Whether the pair gives a slice this name.
fn is_named(pair: &Pair, name: &str, arg: Arg<'_>) -> bool {
    match pair.name {
        Name::Is(own) => own == name,
        Name::Event => pair.begins.contains(&name),
        Name::Of(keys) => keys.iter().find_map(|key| arg(key)).as_deref() == Some(name),
        Name::In(before, keys, after) => {
            let inner = name
                .strip_prefix(before)
                .and_then(|name| name.strip_suffix(after));
            inner.is_some() && keys.iter().find_map(|key| arg(key)).as_deref() == inner
        }
        // Other names come from the machine's table of calls, which text does not have.
        Name::Syscall => arg("id").is_some_and(|id| name.strip_prefix("sys_") == Some(&id)),
    }
}

/// The pairs whose slices are on a track of this name.
fn on_track(track: &str) -> &'static [&'static Pair] {
    static BY_TRACK: OnceLock<FxHashMap<&'static str, Vec<&'static Pair>>> = OnceLock::new();
    let by_track = BY_TRACK.get_or_init(|| {
        let mut map: FxHashMap<&'static str, Vec<&'static Pair>> = FxHashMap::default();
        for pair in PAIRS {
            map.entry(pair.track).or_default().push(pair);
        }
        map
    });
    by_track.get(track).map_or(&[], Vec::as_slice)
}

/// The field that distinguishes the end of a pair from its begin, and its values.
pub(crate) fn condition(pair: &Pair, end: &str) -> Option<(&'static str, &'static str)> {
    let mut ends = pair.ends.iter().map(|event| parts(event));
    ends.find(|(name, _)| *name == end)?.1
}

/// The events that wait for their end.
pub(crate) fn waiting_begins() -> impl Iterator<Item = &'static str> {
    let waiting = PAIRS.iter().filter(|pair| pair.again == Again::Waits);
    let begins = waiting.flat_map(|pair| pair.begins);
    begins.map(|event| parts(event).0)
}

/// Whether [`events_of`] assumes the event `name` for slices of the pair at `index`.
pub(super) fn is_assumed(index: usize, role: Role, name: &str) -> bool {
    let pair = &PAIRS[index];
    match (role, pair.name) {
        (_, Name::Syscall) | (Role::Begin, Name::Event) => true,
        (Role::End, _) => pair
            .ends
            .first()
            .is_some_and(|event| parts(event).0 == name),
        (Role::Begin, _) => {
            let is_first = pair
                .begins
                .first()
                .is_some_and(|event| parts(event).0 == name);
            is_first && !PAIRS[..index].iter().any(|earlier| is_alike(earlier, pair))
        }
    }
}

/// Whether slices of two pairs look alike.
fn is_alike(a: &Pair, b: &Pair) -> bool {
    let same_name = match (a.name, b.name) {
        (Name::Of(a), Name::Of(b)) => a.iter().any(|key| b.contains(key)),
        (a, b) => a == b,
    };
    same_name && (a.on, a.track, a.keys) == (b.on, b.track, b.keys)
}
