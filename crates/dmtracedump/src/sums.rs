//! The sums of the records: the times of methods, and the edges of the call graph. All arithmetic
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

    /// Adds calls to an activation of the method.
    fn add(&mut self, callee: Activation, edge: &Edge) {
        let calls = &mut self.calls[usize::from(callee.is_recursive())];
        *calls = calls.wrapping_add(edge.calls as i32);
        if !callee.is_recursive() {
            add(&mut self.inclusive, edge.inclusive);
        }
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
        add(&mut self.inclusive, inclusive);
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
    /// The caller and callee of the last call, and the index of their edge. Most calls of a method have the same caller
    /// as the call before, so they need no search.
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
    /// By activation: exclusive time, µs.
    exclusive: Vec<u64>,
    pub edges: Edges,
}

impl Sums {
    pub fn new(methods: usize) -> Self {
        Sums {
            totals: vec![Totals::default(); methods],
            exclusive: vec![0; 2 * methods],
            edges: Edges::default(),
        }
    }

    /// Adds `elapsed` µs to the exclusive time of a method.
    pub fn pass_time(&mut self, to: Activation, elapsed: u64) {
        add(&mut self.exclusive[to.index()], elapsed);
    }

    /// Subtracts `elapsed` µs of exclusive time from one method and adds them to another.
    pub fn move_time(&mut self, from: Activation, to: Activation, elapsed: u64) {
        self.pass_time(from, elapsed.wrapping_neg());
        self.pass_time(to, elapsed);
    }

    /// Counts a call of `inclusive` µs. Returns the index of its edge.
    // Not inlined: few records need this, and the loop over all records is faster without it.
    #[inline(never)]
    pub fn count(&mut self, caller: Activation, callee: Activation, inclusive: u64) -> usize {
        let edge = self.edges.entry((caller, callee));
        let place = edge.index();
        edge.or_default().add(inclusive);
        place
    }

    /// The same for a callee whose slot is known.
    #[inline]
    pub fn count_known(
        &mut self,
        slot: &mut Slot,
        caller: Activation,
        callee: Activation,
        inclusive: u64,
    ) {
        let (last_caller, last_callee, place) = slot.last;
        if (last_caller, last_callee) == (caller, callee)
            && let Some((_, edge)) = self.edges.get_index_mut(place as usize)
        {
            return edge.add(inclusive);
        }
        let place = self.count(caller, callee, inclusive);
        slot.last = (caller, callee, place as u32);
    }

    /// Adds the edges to the methods' calls and times; `total` is the span of all threads, µs. The time of a call is a
    /// part of its caller's, so it is moved from the caller's exclusive time to the callee's.
    pub fn finish(&mut self, total: u64) {
        for (&(caller, callee), edge) in &self.edges {
            let [from, to] = [caller, callee].map(Activation::index);
            add(&mut self.exclusive[from], edge.inclusive.wrapping_neg());
            add(&mut self.exclusive[to], edge.inclusive);
            self.totals[callee.method() as usize].add(callee, edge);
        }
        for (totals, times) in self.totals.iter_mut().zip(self.exclusive.chunks_exact(2)) {
            totals.exclusive = times[0].wrapping_add(times[1]);
            totals.recursive_exclusive = times[1];
        }
        self.totals[TOPLEVEL as usize].inclusive = total;
    }
}

fn add(sum: &mut u64, time: u64) {
    *sum = sum.wrapping_add(time);
}
