//! What the records add up to: the times of methods, and the edges of the call graph. All arithmetic
//! wraps, as in the original.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::methods::{MethodIndex, TOPLEVEL};

/// The times of one method, µs, and its calls.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub exclusive: u64,
    pub inclusive: u64,
    /// The part of `exclusive` in recursive activations.
    recursive_exclusive: u64,
    /// Plain calls and recursive calls.
    pub calls: [i32; 2],
}

impl Totals {
    pub fn all_calls(&self) -> i32 {
        self.calls[0].wrapping_add(self.calls[1])
    }

    /// Exclusive time of the activations that are not recursive, µs.
    pub fn plain_exclusive(&self) -> u64 {
        self.exclusive.wrapping_sub(self.recursive_exclusive)
    }
}

/// A method on a stack, times two, plus one if the method is also deeper in that stack (recursive).
/// A method takes 20 bytes of a file, so 31 bits are enough for any file below 40 GB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Activation(u32);

impl Activation {
    pub fn new(method: MethodIndex, is_recursive: bool) -> Self {
        Activation(method << 1 | u32::from(is_recursive))
    }

    pub fn method(self) -> MethodIndex {
        self.0 >> 1
    }

    pub fn is_recursive(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The activation in which every thread starts.
pub(super) const BOTTOM: Activation = Activation(TOPLEVEL << 1);

/// The calls from one activation to another.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub calls: u32,
}

impl Edge {
    /// Counts a call of `inclusive` µs.
    fn add(&mut self, inclusive: u64) {
        self.inclusive = self.inclusive.wrapping_add(inclusive);
        self.calls = self.calls.wrapping_add(1);
    }
}

/// Edges, by caller and callee, in the order in which they were found.
pub(super) type Edges = IndexMap<(Activation, Activation), Edge, FxBuildHasher>;

/// A method on one thread.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub method: MethodIndex,
    /// The number of times that the method is on the thread's stack.
    pub active: u32,
    /// The caller and callee of the last call, and the place of their edge. Most calls of a method
    /// have the same caller as the one before, so they need no search.
    last: (Activation, Activation, u32),
}

impl Slot {
    pub fn new(method: MethodIndex) -> Self {
        // No edge leads to the bottom, so nothing matches this.
        Slot {
            method,
            active: 0,
            last: (BOTTOM, BOTTOM, 0),
        }
    }
}

/// The sums so far.
pub(super) struct Sums {
    /// By method.
    pub totals: Vec<Totals>,
    pub edges: Edges,
}

impl Sums {
    pub fn new(methods: usize) -> Self {
        Sums {
            totals: vec![Totals::default(); methods],
            edges: Edges::default(),
        }
    }

    /// Adds `elapsed` µs to the exclusive time of a method.
    pub fn pass_time(&mut self, to: Activation, elapsed: u64) {
        let totals = &mut self.totals[to.method() as usize];
        totals.exclusive = totals.exclusive.wrapping_add(elapsed);
        if to.is_recursive() {
            totals.recursive_exclusive = totals.recursive_exclusive.wrapping_add(elapsed);
        }
    }

    /// Counts a call of `inclusive` µs. Returns the place of its edge.
    pub fn count(&mut self, caller: Activation, callee: Activation, inclusive: u64) -> usize {
        let edge = self.edges.entry((caller, callee));
        let place = edge.index();
        edge.or_default().add(inclusive);
        place
    }

    /// The same for a callee whose slot is known.
    pub fn count_known(
        &mut self,
        slot: &mut Slot,
        caller: Activation,
        callee: Activation,
        inclusive: u64,
    ) {
        let (last_caller, last_callee, place) = slot.last;
        if (last_caller, last_callee) == (caller, callee) {
            return self.edges[place as usize].add(inclusive);
        }
        let place = self.count(caller, callee, inclusive);
        slot.last = (caller, callee, place as u32);
    }

    /// Adds the edges to the methods' calls and inclusive times; `total` is that of all threads, µs.
    pub fn finish(&mut self, total: u64) {
        for ((_, callee), edge) in &self.edges {
            let totals = &mut self.totals[callee.method() as usize];
            let calls = &mut totals.calls[usize::from(callee.is_recursive())];
            *calls = calls.wrapping_add(edge.calls as i32);
            if !callee.is_recursive() {
                totals.inclusive = totals.inclusive.wrapping_add(edge.inclusive);
            }
        }
        self.totals[TOPLEVEL as usize].inclusive = total;
    }
}
