//! Adds up the records: the times of methods, and the edges of the call graph.
//!
//! The time between two records of a thread belongs to the method on top of its stack (exclusive).
//! A call's own span is added to the method at its exit (inclusive), unless the method is also
//! deeper in the stack. All arithmetic wraps, as in the original.
//!
//! The original searches a linked list of a method's callers and another of its callees at every
//! exit, which makes it quadratic in wide call graphs. Here an exit updates one entry of a hash
//! table of edges from caller to callee; both lists are made from it at the end.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use traceloom_formats::MethodRecord;

use super::methods::{MethodIndex, Methods, TOPLEVEL, UNKNOWN};

/// The original closes the calls of, and adds up, only threads with numbers below this.
pub(super) const COUNTED_THREADS: u16 = 1 << 15;

/// The number of frames on one stack at which the original aborts.
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
const BOTTOM: Activation = Activation(TOPLEVEL << 1);

/// The calls from one activation to another.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// Time in the callee with its own callees, µs.
    pub inclusive: u64,
    pub calls: u32,
}

/// Edges, by caller and callee, in the order in which they were found.
pub(super) type Edges = IndexMap<(Activation, Activation), Edge, FxBuildHasher>;

/// Repairs of records that would crash the original.
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
    first: u64,
    last: u64,
    /// The open calls, outermost first.
    frames: Vec<Frame>,
}

impl Thread {
    fn top(&self) -> Activation {
        self.frames.last().map_or(BOTTOM, |frame| frame.callee)
    }
}

/// An open call.
struct Frame {
    entry: u64,
    /// The method's id in records.
    id: u32,
    callee: Activation,
    /// The place of the callee's [`Slot`].
    slot: u32,
}

/// A method on one thread.
#[derive(Clone, Copy)]
struct Slot {
    method: MethodIndex,
    /// The number of times that the method is on the thread's stack.
    active: u32,
}

/// The calls of a trace, which are added up record by record.
pub(super) struct Calls<'a> {
    pub methods: Methods<'a>,
    /// By method.
    pub totals: Vec<Totals>,
    /// Time from the first to the last record, summed over threads, µs.
    pub total: u64,
    pub edges: Edges,
    pub repairs: Repairs,
    /// By number.
    threads: IndexMap<u16, Thread, FxBuildHasher>,
    /// The number and place of the last record's thread, which the next record mostly has too.
    last: Option<(u16, usize)>,
    /// By thread number and the method's id in records.
    slots: IndexMap<(u16, u32), Slot, FxBuildHasher>,
}

impl<'a> Calls<'a> {
    pub fn new(methods: Methods<'a>) -> Self {
        Calls {
            totals: vec![Totals::default(); methods.list.len()],
            methods,
            total: 0,
            edges: Edges::default(),
            repairs: Repairs::default(),
            threads: IndexMap::default(),
            last: None,
            slots: IndexMap::default(),
        }
    }

    /// Handles the next record.
    pub fn take(&mut self, record: &MethodRecord) {
        let now = u64::from(record.time_us);
        let at = match self.last {
            Some((number, at)) if number == record.thread => at,
            _ => self.thread(record.thread, now),
        };
        if record.action == 0 {
            self.enter(at, record, now);
        } else {
            self.exit(at, record, now);
        }
    }

    /// The place of a thread. Adds the thread if it is new.
    fn thread(&mut self, number: u16, now: u64) -> usize {
        let thread = self.threads.entry(number);
        let at = thread.index();
        self.last = Some((number, at));
        thread.or_insert(Thread {
            first: now,
            last: now,
            frames: Vec::new(),
        });
        at
    }

    /// The place of the slot of a method's id. Adds the slot if it is new.
    fn slot(&mut self, thread: u16, id: u32) -> usize {
        if let Some(place) = self.slots.get_index_of(&(thread, id)) {
            return place;
        }
        // Unknown ids share a slot. No record has its id: their two low bits are clear.
        let (id, method) = match self.methods.find(id) {
            Some(method) => (id, method),
            None => (1, UNKNOWN),
        };
        let slot = self.slots.entry((thread, id));
        let place = slot.index();
        slot.or_insert(Slot { method, active: 0 });
        place
    }

    fn enter(&mut self, at: usize, record: &MethodRecord, now: u64) {
        let slot = self.slot(record.thread, record.method);
        self.pass_time(at, self.threads[at].top(), now);
        let Slot { method, active } = &mut self.slots[slot];
        let callee = Activation::new(*method, *active > 0);
        *active += 1;
        let frames = &mut self.threads[at].frames;
        frames.push(Frame {
            entry: now,
            id: record.method,
            callee,
            slot: slot as u32,
        });
        if frames.len() > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(frames.len());
        }
    }

    /// No record can name the method that every thread starts in, so an empty stack never matches.
    fn exit(&mut self, at: usize, record: &MethodRecord, now: u64) {
        let thread = &self.threads[at];
        // Equal ids are equal methods, so the usual exit needs no search.
        if thread
            .frames
            .last()
            .is_some_and(|top| top.id == record.method)
        {
            return self.pop(at, now);
        }
        let slot = self.slot(record.thread, record.method);
        let Slot { method, active } = self.slots[slot];
        let thread = &self.threads[at];
        if thread.top().method() == method {
            self.pop(at, now);
        } else if thread.frames.is_empty() {
            // It counts as a call that began at time 0, but gets only the exclusive time since the
            // last record.
            let callee = Activation::new(method, false);
            self.pass_time(at, callee, now);
            self.count(BOTTOM, callee, now);
        } else {
            self.exit_mismatched(at, method, active > 0, now);
        }
    }

    /// At this point, the original prints the stack and exits.
    #[cold]
    fn exit_mismatched(&mut self, at: usize, method: MethodIndex, is_active: bool, now: u64) {
        if let Some((&number, _)) = self.threads.get_index(at) {
            self.repairs.first.get_or_insert((number, method));
        }
        if !is_active {
            self.repairs.ignored += 1;
            return;
        }
        while self.threads[at].top().method() != method {
            self.pop(at, now);
            self.repairs.closed_early += 1;
        }
        self.pop(at, now);
    }

    /// Ends the call on top of a stack that is not empty.
    fn pop(&mut self, at: usize, now: u64) {
        if let Some(frame) = self.threads[at].frames.pop() {
            self.pass_time(at, frame.callee, now);
            let elapsed = now.wrapping_sub(frame.entry);
            self.count(self.threads[at].top(), frame.callee, elapsed);
            self.slots[frame.slot as usize].active -= 1;
        }
    }

    /// Adds the time since the thread's last record to a method.
    fn pass_time(&mut self, at: usize, to: Activation, now: u64) {
        let last = std::mem::replace(&mut self.threads[at].last, now);
        let elapsed = now.wrapping_sub(last);
        let totals = &mut self.totals[to.method() as usize];
        totals.exclusive = totals.exclusive.wrapping_add(elapsed);
        if to.is_recursive() {
            totals.recursive_exclusive = totals.recursive_exclusive.wrapping_add(elapsed);
        }
    }

    /// Counts a call of `inclusive` µs.
    fn count(&mut self, caller: Activation, callee: Activation, inclusive: u64) {
        let edge = self.edges.entry((caller, callee)).or_default();
        edge.inclusive = edge.inclusive.wrapping_add(inclusive);
        edge.calls = edge.calls.wrapping_add(1);
    }

    /// Closes open calls at each thread's last record, lowest thread number first and outermost
    /// call first, and adds up.
    pub fn finish(&mut self) {
        let mut threads = std::mem::take(&mut self.threads);
        threads.sort_unstable_keys();
        for (_, thread) in threads.iter().filter(|t| *t.0 < COUNTED_THREADS) {
            let span = thread.last.wrapping_sub(thread.first);
            self.total = self.total.wrapping_add(span);
            let mut caller = BOTTOM;
            for frame in &thread.frames {
                self.count(caller, frame.callee, thread.last.wrapping_sub(frame.entry));
                caller = frame.callee;
            }
        }
        for ((_, callee), edge) in &self.edges {
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
