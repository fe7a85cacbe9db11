//! Each method's callers and callees, laid out one after another.
//!
//! ```text
//! edges (hashed)          callees:  method 0        method 1              …
//!  0→1  5µs                         plain  recurs.  plain       recurs.
//!  1→2  3µs       ──►              [1:5µs][       ][2:3µs 3:1µs][       ]
//!  1→3  1µs
//! ```

use super::edges::{Edge, Standing};
use super::methods::MethodIndex;

/// A caller or callee and the calls shared with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relative {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub method: MethodIndex,
    pub calls: u32,
    /// When this pair was found, counting from 1.
    pub found: u32,
}

/// Which end of an edge looks at which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Each method's callers; plain or recursive by whether the method itself stood on the stack.
    Callers,
    /// Each method's callees; plain or recursive by whether the method stood there twice.
    Callees,
}

impl Side {
    /// Which group an edge belongs to, and whom it shows there.
    #[inline]
    fn split(self, edge: &Edge) -> (usize, MethodIndex) {
        let key = edge.key();
        match self {
            Side::Callers => (group(key.callee), key.caller.method()),
            Side::Callees => (group(key.caller), key.callee.method()),
        }
    }
}

#[inline]
fn group(standing: Standing) -> usize {
    standing.method() as usize * 2 + usize::from(standing.is_recursive())
}

/// Edges from which on a second thread pays.
pub(super) const WORTH_A_THREAD: usize = 1 << 15;

/// Everybody's relatives on one side.
///
/// Places are 32 bits: an edge takes nine bytes of a file or more, so only a file of 36 GB could
/// have too many.
pub(super) struct Relatives {
    ends: Vec<u32>,
    starts: Vec<u32>,
    items: Vec<Relative>,
}

impl Relatives {
    /// Callers and callees.
    pub fn both(edges: &[Edge], methods: usize) -> (Self, Self) {
        let callers = || Relatives::new(edges, methods, Side::Callers);
        let callees = || Relatives::new(edges, methods, Side::Callees);
        if edges.len() < WORTH_A_THREAD {
            return (callers(), callees());
        }
        std::thread::scope(|scope| {
            let callers = scope.spawn(callers);
            let callees = callees();
            match callers.join() {
                Ok(callers) => (callers, callees),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Groups `edges` by one side for `methods` methods; the order within a group is none.
    fn new(edges: &[Edge], methods: usize, side: Side) -> Self {
        let mut starts = vec![0u32; methods * 2];
        for edge in edges {
            starts[side.split(edge).0] += 1;
        }
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        let mut ends = starts.clone();
        let nobody = Relative {
            inclusive: 0,
            method: 0,
            calls: 0,
            found: 0,
        };
        let mut items = vec![nobody; edges.len()];
        for edge in edges {
            let (group, method) = side.split(edge);
            items[ends[group] as usize] = Relative {
                inclusive: edge.inclusive,
                method,
                calls: edge.calls,
                found: edge.found,
            };
            ends[group] += 1;
        }
        let mut relatives = Relatives {
            ends,
            starts,
            items,
        };
        relatives.join_twins(methods);
        relatives
    }

    /// Edges that differ in the flag this side does not show are one relative here, found when
    /// the first of them was.
    fn join_twins(&mut self, methods: usize) {
        let mut seen = vec![usize::MAX; methods];
        for (start, end) in self.starts.iter().zip(&mut self.ends) {
            let start = *start as usize;
            let mut kept = start;
            for at in start..*end as usize {
                let item = self.items[at];
                let place = seen[item.method as usize];
                if place < kept && place >= start {
                    let twin = &mut self.items[place];
                    twin.inclusive = twin.inclusive.wrapping_add(item.inclusive);
                    twin.calls = twin.calls.wrapping_add(item.calls);
                    twin.found = twin.found.min(item.found);
                } else {
                    seen[item.method as usize] = kept;
                    self.items[kept] = item;
                    kept += 1;
                }
            }
            *end = kept as u32;
        }
    }

    /// One method's relatives, in no order.
    pub fn of(&self, method: MethodIndex, recursive: bool) -> &[Relative] {
        let group = group(Standing::new(method, recursive));
        &self.items[self.starts[group] as usize..self.ends[group] as usize]
    }

    /// As [`Relatives::of`], to be put in order.
    pub fn of_mut(&mut self, method: MethodIndex, recursive: bool) -> &mut [Relative] {
        let group = group(Standing::new(method, recursive));
        &mut self.items[self.starts[group] as usize..self.ends[group] as usize]
    }
}
