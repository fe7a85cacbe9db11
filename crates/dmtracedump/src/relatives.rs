//! Each method's callers and callees, in one list grouped by method.
//!
//! ```text
//! edges                   callees:  method 0        method 1              …
//!  0→1  5µs                         plain  recurs.  plain       recurs.
//!  1→2  3µs       ──►              [1:5µs][       ][2:3µs 3:1µs][       ]
//!  1→3  1µs
//! ```

use super::calls::{Activation, EdgeKey, Edges};
use super::methods::MethodIndex;

/// A caller or callee and the calls shared with it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Relative {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub method: MethodIndex,
    pub calls: u32,
}

/// The end of an edge whose relatives are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Each method's callers; recursive if the method's own activation is.
    Callers,
    /// Each method's callees; recursive if the method's own activation is.
    Callees,
}

/// All methods' relatives on one side. Indexes have 32 bits: an edge takes at least nine bytes of
/// a file, so only a file of 36 GB could have too many.
pub(super) struct Relatives {
    /// Where each group ends; it starts where the one before ends.
    ends: Vec<u32>,
    list: Vec<Relative>,
}

impl Relatives {
    /// Groups `edges` by one side for `methods` methods.
    pub fn new(edges: &Edges, methods: usize, side: Side) -> Self {
        let split = |key: &EdgeKey| match side {
            Side::Callers => (key.callee().0 as usize, key.caller().method()),
            Side::Callees => (key.caller().0 as usize, key.callee().method()),
        };
        let mut ends = vec![0u32; methods * 2];
        for key in edges.keys() {
            ends[split(key).0] += 1;
        }
        // From here on, where the next relative of a group goes; at last, where the group ends.
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
        relatives.join_twins(methods);
        relatives
    }

    /// Joins the edges that differ only in the flag of the other side: they are one relative, found
    /// when the first of them was. Then puts the relatives found last first: the original adds new
    /// ones at the front.
    fn join_twins(&mut self, methods: usize) {
        let mut seen = vec![u32::MAX; methods];
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.ends {
            let first = kept;
            for at in start..*end {
                let item = self.list[at as usize];
                let place = &mut seen[item.method as usize];
                if (first..kept).contains(place) {
                    let twin = &mut self.list[*place as usize];
                    twin.inclusive = twin.inclusive.wrapping_add(item.inclusive);
                    twin.calls = twin.calls.wrapping_add(item.calls);
                } else {
                    *place = kept;
                    self.list[kept as usize] = item;
                    kept += 1;
                }
            }
            self.list[first as usize..kept as usize].reverse();
            start = std::mem::replace(end, kept);
        }
    }

    /// One method's relatives, the one found last first.
    pub fn of(&self, method: MethodIndex, is_recursive: bool) -> &[Relative] {
        let group = Activation::new(method, is_recursive).0 as usize;
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.list[start as usize..self.ends[group] as usize]
    }
}
