//! Finds the pairs to which an event belongs.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use super::pair::{Pair, Role, parts};
use super::shown::is_assumed;
use super::table::PAIRS;

/// One role of an event: a side of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub pair: &'static Pair,
    /// The index of the pair in the table.
    pub index: usize,
    pub role: Role,
    /// A field, and its allowed values.
    pub only_if: Option<(&'static str, &'static str)>,
    /// Whether this event is assumed for slices of the pair. Otherwise the slice keeps the event's name.
    pub is_assumed: bool,
}

/// The pairs to which events called `name` belong. The pairs that they end come first.
pub(crate) fn uses(name: &[u8]) -> &'static [Use] {
    static BY_NAME: OnceLock<FxHashMap<&'static [u8], Vec<Use>>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(by_name);
    by_name.get(one_name(name)).map_or(&[], Vec::as_slice)
}

/// The generic name of an event. Each system call may have its own events.
fn one_name(name: &[u8]) -> &[u8] {
    match name {
        _ if name.starts_with(b"sys_enter_") => b"sys_enter",
        _ if name.starts_with(b"sys_exit_") => b"sys_exit",
        _ => name,
    }
}

fn by_name() -> FxHashMap<&'static [u8], Vec<Use>> {
    let mut map: FxHashMap<&'static [u8], Vec<Use>> = FxHashMap::default();
    for (index, pair) in PAIRS.iter().enumerate() {
        for (events, role) in [(pair.ends, Role::End), (pair.begins, Role::Begin)] {
            for event in events {
                let (name, only_if) = parts(event);
                let entry = map.entry(name.as_bytes()).or_default();
                entry.push(Use {
                    pair,
                    index,
                    role,
                    only_if,
                    is_assumed: is_assumed(index, role, name),
                });
                sort::by_key(entry, |one| one.role);
            }
        }
    }
    map
}
