//! Calls: records in, times and call edges out.
//!
//! The time between two records of a thread belongs to the method on top of its stack (exclusive).
//! A call's own span is added to the method at its exit (inclusive), unless the method is also
//! deeper in the stack. All arithmetic wraps, as the original's does.
//!
//! The original searches a linked list of a method's callers and another of its callees at every
//! exit, which makes it quadratic in wide call graphs. Here an exit updates one entry of a hash
//! table of edges from caller to callee; both lists are made of it at the end.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use traceloom_formats::MethodRecord;

use super::methods::{MethodIndex, Methods, TOPLEVEL, UNKNOWN};

/// The original closes and sums up only threads with numbers below this.
pub(super) const COUNTED_THREADS: u16 = 1 << 15;

/// Frames on one stack at which the original gives up.
const ORIGINAL_DEPTH: usize = 10_000;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Activation(pub u32);

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
}

/// The activation that every thread starts in.
const BOTTOM: Activation = Activation(TOPLEVEL << 1);

/// Caller and callee in one number, which is faster to hash than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct EdgeKey(u64);

impl EdgeKey {
    fn new(caller: Activation, callee: Activation) -> Self {
        EdgeKey(u64::from(caller.0) << 32 | u64::from(callee.0))
    }

    pub fn caller(self) -> Activation {
        Activation((self.0 >> 32) as u32)
    }

    pub fn callee(self) -> Activation {
        Activation(self.0 as u32)
    }
}

/// The calls from one activation to another.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub calls: u32,
}

/// Edges in the order in which they were found.
pub(super) type Edges = IndexMap<EdgeKey, Edge, FxBuildHasher>;

/// What the original would not have survived.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    /// Calls closed early, by the exit of a method deeper in the stack.
    pub closed_early: u64,
    /// Exits ignored because their method was not on the stack.
    pub ignored: u64,
    /// The first of those exits: thread and method.
    pub first: Option<(u16, MethodIndex)>,
    /// Depth of the deepest stack beyond the original's limit, frames.
    pub too_deep: usize,
}

/// A thread and its stack; times in µs.
struct Thread {
    number: u16,
    first: u64,
    last: u64,
    top: Activation,
    /// The open calls, outermost first.
    frames: Vec<Frame>,
}

/// An open call.
struct Frame {
    entry: u64,
    caller: Activation,
    /// The place of the callee's [`Slot`].
    slot: u32,
}

/// A method on one thread.
#[derive(Clone, Copy)]
struct Slot {
    method: MethodIndex,
    /// How often the method is on the thread's stack.
    active: u32,
}

/// The calls of a trace.
pub(super) struct Calls<'m, 'a> {
    methods: &'m Methods<'a>,
    /// By method.
    pub totals: Vec<Totals>,
    /// From the first to the last record, summed over threads, µs.
    pub total: u64,
    pub edges: Edges,
    pub repairs: Repairs,
    threads: Vec<Thread>,
    /// By thread number: the place in `threads` plus one, or 0.
    places: Vec<u32>,
    /// By a thread's place and a method's id in records; unknown ids share one that no record has.
    slots: IndexMap<u64, Slot, FxBuildHasher>,
}

impl<'m, 'a> Calls<'m, 'a> {
    pub fn new(methods: &'m Methods<'a>) -> Self {
        Calls {
            methods,
            totals: vec![Totals::default(); methods.list.len()],
            total: 0,
            edges: Edges::default(),
            repairs: Repairs::default(),
            threads: Vec::new(),
            places: vec![0; 1 << 16],
            slots: IndexMap::default(),
        }
    }

    /// Takes the next record.
    pub fn take(&mut self, record: &MethodRecord) {
        let now = u64::from(record.time_us);
        let thread = self.thread(record.thread, now);
        let slot = self.slot(thread, record.method);
        if record.action == 0 {
            self.enter(thread, slot, now);
        } else {
            self.exit(thread, slot, now);
        }
    }

    /// The place of the thread with this number, which may be new.
    fn thread(&mut self, number: u16, now: u64) -> usize {
        let place = &mut self.places[usize::from(number)];
        if *place == 0 {
            self.threads.push(Thread {
                number,
                first: now,
                last: now,
                top: BOTTOM,
                frames: Vec::new(),
            });
            *place = self.threads.len() as u32;
        }
        *place as usize - 1
    }

    /// The place of the slot of a method's id, which may be new.
    fn slot(&mut self, at: usize, id: u32) -> usize {
        let thread = (at as u64) << 32;
        let key = thread | u64::from(id);
        if let Some(place) = self.slots.get_index_of(&key) {
            return place;
        }
        // The two low bits of a record's id are clear.
        let (key, method) = match self.methods.find(id) {
            Some(method) => (key, method),
            None => (thread | 1, UNKNOWN),
        };
        let slot = self.slots.entry(key);
        let place = slot.index();
        slot.or_insert(Slot { method, active: 0 });
        place
    }

    fn enter(&mut self, at: usize, slot: usize, now: u64) {
        self.pass_time(at, now);
        let Slot { method, active } = &mut self.slots[slot];
        let callee = Activation::new(*method, *active > 0);
        *active += 1;
        let thread = &mut self.threads[at];
        let frame = Frame {
            entry: now,
            caller: std::mem::replace(&mut thread.top, callee),
            slot: slot as u32,
        };
        thread.frames.push(frame);
        let depth = thread.frames.len();
        if depth > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(depth);
        }
    }

    /// No record can name the method that every thread starts in, so an empty stack never matches.
    fn exit(&mut self, at: usize, slot: usize, now: u64) {
        let Slot { method, active } = self.slots[slot];
        if self.threads[at].top.method() == method {
            self.pop(at, now);
        } else if self.threads[at].frames.is_empty() {
            self.exit_from_nothing(at, method, now);
        } else {
            self.exit_mismatched(at, method, active > 0, now);
        }
    }

    /// An exit on an empty stack counts as a call that began at time 0. It gets only the exclusive
    /// time since the last record.
    fn exit_from_nothing(&mut self, at: usize, method: MethodIndex, now: u64) {
        let callee = Activation::new(method, false);
        self.threads[at].top = callee;
        self.pass_time(at, now);
        self.threads[at].top = BOTTOM;
        count(&mut self.edges, BOTTOM, callee, now);
    }

    /// Here the original prints the stack and ends.
    #[cold]
    fn exit_mismatched(&mut self, at: usize, method: MethodIndex, is_active: bool, now: u64) {
        let number = self.threads[at].number;
        self.repairs.first.get_or_insert((number, method));
        if !is_active {
            self.repairs.ignored += 1;
            return;
        }
        while self.threads[at].top.method() != method {
            self.pop(at, now);
            self.repairs.closed_early += 1;
        }
        self.pop(at, now);
    }

    /// Ends the call on top of a stack that is not empty.
    fn pop(&mut self, at: usize, now: u64) {
        self.pass_time(at, now);
        let thread = &mut self.threads[at];
        if let Some(frame) = thread.frames.pop() {
            let callee = std::mem::replace(&mut thread.top, frame.caller);
            let elapsed = now.wrapping_sub(frame.entry);
            count(&mut self.edges, frame.caller, callee, elapsed);
            self.slots[frame.slot as usize].active -= 1;
        }
    }

    /// Gives the time since the thread's last record to the method on top.
    fn pass_time(&mut self, at: usize, now: u64) {
        let thread = &mut self.threads[at];
        let elapsed = now.wrapping_sub(std::mem::replace(&mut thread.last, now));
        let totals = &mut self.totals[thread.top.method() as usize];
        totals.exclusive = totals.exclusive.wrapping_add(elapsed);
        if thread.top.is_recursive() {
            totals.recursive_exclusive = totals.recursive_exclusive.wrapping_add(elapsed);
        }
    }

    /// Closes open calls at each thread's last record, lowest thread number first and outermost
    /// call first, and sums up.
    pub fn finish(&mut self) {
        let mut threads = std::mem::take(&mut self.threads);
        threads.sort_by_key(|thread| thread.number);
        for thread in threads.iter().filter(|t| t.number < COUNTED_THREADS) {
            let span = thread.last.wrapping_sub(thread.first);
            self.total = self.total.wrapping_add(span);
            let callers = thread.frames.iter().map(|frame| frame.caller);
            let callees = callers.clone().skip(1).chain([thread.top]);
            for (frame, callee) in thread.frames.iter().zip(callees) {
                let elapsed = thread.last.wrapping_sub(frame.entry);
                count(&mut self.edges, frame.caller, callee, elapsed);
            }
        }
        for (key, edge) in &self.edges {
            let callee = key.callee();
            let totals = &mut self.totals[callee.method() as usize];
            let calls = &mut totals.calls[usize::from(callee.is_recursive())];
            *calls = calls.wrapping_add(edge.calls as i32);
            if !callee.is_recursive() {
                totals.inclusive = totals.inclusive.wrapping_add(edge.inclusive);
            }
        }
        self.totals[TOPLEVEL as usize].inclusive = self.total;
    }
}

/// Counts a call of `elapsed` µs.
fn count(edges: &mut Edges, caller: Activation, callee: Activation, elapsed: u64) {
    let edge = edges.entry(EdgeKey::new(caller, callee)).or_default();
    edge.inclusive = edge.inclusive.wrapping_add(elapsed);
    edge.calls = edge.calls.wrapping_add(1);
}
