//! Each method's callers and callees, in one list grouped by method.
//!
//! ```text
//! edges                   callees:  method 0        method 1              …
//!  0→1  5µs                         plain  recurs.  plain       recurs.
//!  1→2  3µs       ──►              [1:5µs][       ][2:3µs 3:1µs][       ]
//!  1→3  1µs
//! ```

use super::methods::MethodIndex;
use super::sums::{Activation, Edges};

/// A caller or callee and the calls shared with it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Relative {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub method: MethodIndex,
    pub calls: u32,
}

impl Relative {
    fn add(&mut self, other: Relative) {
        self.inclusive = self.inclusive.wrapping_add(other.inclusive);
        self.calls = self.calls.wrapping_add(other.calls);
    }
}

/// The end of an edge whose relatives are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The callers of each method. An entry is recursive if the method was already on the stack.
    Callers,
    /// Each method's callees; recursive if the method's own activation is.
    Callees,
}

/// All methods' relatives on one side. Indexes have 32 bits: an edge takes at least nine bytes of
/// a file, so only a file of 36 GB could have too many.
pub(super) struct Relatives {
    /// The end of each group. A group starts at the end of the previous group.
    ends: Vec<u32>,
    /// In the order in which they were found.
    list: Vec<Relative>,
}

impl Relatives {
    /// Groups `edges` by one side for `methods` methods.
    pub fn new(edges: &Edges, methods: usize, side: Side) -> Self {
        let split = |&(caller, callee): &(Activation, Activation)| match side {
            Side::Callers => (callee.index(), caller.method()),
            Side::Callees => (caller.index(), callee.method()),
        };
        let mut ends = vec![0u32; methods * 2];
        for key in edges.keys() {
            ends[split(key).0] += 1;
        }
        // In the next two loops, an element of `ends` is the index of the group's next relative. After them, it is the
        // end of the group.
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut list = vec![Relative::default(); edges.len()];
        for (key, edge) in edges {
            let (group, method) = split(key);
            list[ends[group] as usize] = Relative {
                inclusive: edge.inclusive,
                method,
                calls: edge.calls,
            };
            ends[group] += 1;
        }
        let mut relatives = Relatives { ends, list };
        relatives.merge(methods);
        relatives
    }

    /// Merges two entries for the same method if they differ only in whether the other end of the edge is recursive.
    /// The result takes the place of the first of them.
    fn merge(&mut self, methods: usize) {
        // By method: the index of its last relative in the list. It may be of an earlier group.
        let mut places = vec![u32::MAX; methods];
        let (mut start, mut merged) = (0, 0);
        for end in &mut self.ends {
            let first = merged;
            for at in start..*end {
                let edge = self.list[at as usize];
                let place = &mut places[edge.method as usize];
                if (first..merged).contains(place) {
                    self.list[*place as usize].add(edge);
                } else {
                    *place = merged;
                    self.list[merged as usize] = edge;
                    merged += 1;
                }
            }
            start = std::mem::replace(end, merged);
        }
        self.list.truncate(merged as usize);
    }

    /// One method's relatives, the one found last first: the original adds new ones at the front.
    pub fn of(&self, method: MethodIndex, is_recursive: bool) -> Vec<Relative> {
        let group = Activation::new(method, is_recursive).index();
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        let edges = &self.list[start as usize..self.ends[group] as usize];
        edges.iter().rev().copied().collect()
    }
}
