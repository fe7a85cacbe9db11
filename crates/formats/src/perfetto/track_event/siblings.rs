//! Tracks that siblings share. Siblings have the same parent and the same name or key. They share a track while their
//! slices do not overlap.
//!
//! ```text
//! uuid 1  |-- a --|            |-- a --|        lane 0
//! uuid 2      |---- a ----|                     lane 1
//! uuid 3                    |-- a --|           lane 0
//! ```
//! A uuid stays on its lane until another uuid takes over the lane while no slice is open on it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TrackId, TrackOwnerId};

/// The properties that siblings have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub owner: TrackOwnerId,
    /// The uuid of the parent.
    pub parent: u64,
    /// Whether `value` is an explicit merge key instead of the name.
    pub is_key: bool,
    pub value: StringId,
}

/// The lanes of siblings with one key.
#[derive(Debug, Default)]
struct Set {
    lanes: Vec<Lane>,
    /// Lanes without open slices.
    free: BTreeSet<usize>,
}

#[derive(Debug)]
struct Lane {
    uuid: u64,
    open: u32,
    track: Option<TrackId>,
}

/// All siblings of a trace.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    sets: Vec<Set>,
    by_key: FxHashMap<Key, usize>,
    by_uuid: FxHashMap<(usize, u64), usize>,
}

impl Siblings {
    /// The number of the set with a key.
    pub fn set(&mut self, key: Key) -> usize {
        *self.by_key.entry(key).or_insert_with(|| {
            self.sets.push(Set::default());
            self.sets.len() - 1
        })
    }

    /// The lane of a uuid. `change` is 1 if a slice begins on it, -1 if one ends, else 0.
    pub fn lane(&mut self, set: usize, uuid: u64, change: i32) -> usize {
        let lane = self.find(set, uuid);
        let set = &mut self.sets[set];
        let open = &mut set.lanes[lane].open;
        *open = open.saturating_add_signed(change);
        if *open == 0 {
            set.free.insert(lane);
        } else {
            set.free.remove(&lane);
        }
        lane
    }

    fn find(&mut self, number: usize, uuid: u64) -> usize {
        if let Some(lane) = self.by_uuid.get(&(number, uuid)) {
            return *lane;
        }
        let set = &mut self.sets[number];
        let lane = match set.free.first() {
            Some(&lane) => {
                let old = std::mem::replace(&mut set.lanes[lane].uuid, uuid);
                self.by_uuid.remove(&(number, old));
                lane
            }
            None => {
                set.lanes.push(Lane {
                    uuid,
                    open: 0,
                    track: None,
                });
                set.lanes.len() - 1
            }
        };
        self.by_uuid.insert((number, uuid), lane);
        lane
    }

    /// The track of a lane, if it has one yet.
    pub fn track(&mut self, set: usize, lane: usize) -> &mut Option<TrackId> {
        &mut self.sets[set].lanes[lane].track
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_above() {
        let mut siblings = Siblings::default();
        let set = siblings.set(Key {
            owner: TrackOwnerId::Machine,
            parent: 0,
            is_key: false,
            value: StringId::NULL,
        });
        let mut lane = |uuid, change| siblings.lane(set, uuid, change);
        assert_eq!([lane(1, 1), lane(2, 1), lane(1, -1)], [0, 1, 0]);
        assert_eq!([lane(2, -1), lane(3, 1), lane(1, 1)], [1, 0, 1]);
        assert_eq!([lane(3, -1), lane(1, -1), lane(9, -1)], [0, 1, 0]);
    }
}
