//! Adds up the records: the edges of the call graph, and the times of methods.
//!
//! The span of each call is added to the edge from its caller to its callee; spans of recursive calls are kept
//! separate. At the end, both times of a method are computed from its edges. All arithmetic wraps, as in the original.
//!
//! The original searches a linked list of a method's callers and another of its callees at every
//! exit, which makes it quadratic in wide call graphs. Here an exit updates one entry of a hash
//! table of edges; both lists are made from it at the end.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use traceloom_formats::{ByWidth, MethodRecord, MethodRecords};

use super::methods::{MethodIndex, Methods, UNKNOWN};
use super::sums::{Activation, BOTTOM, Slot, Sums};
use super::threads::{Frame, NO_ID, Thread, Threads, elapsed};

/// The original counts only threads with numbers below this: it closes their open calls and adds up their times.
pub(super) const COUNTED_THREADS: u16 = 1 << 15;

/// The number of frames on one stack at which the original aborts.
const ORIGINAL_DEPTH: usize = 10_000;

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

/// The calls of a trace, which are added up record by record.
pub(super) struct Calls<'a> {
    pub methods: Methods<'a>,
    pub sums: Sums,
    /// Time from the first to the last record, summed over threads, µs.
    pub total: u64,
    pub repairs: Repairs,
    /// The methods of each thread, in the order of their first call.
    slots: Vec<Slot>,
    /// Indexes of that list, by [`key`].
    places: HashMap<u64, u32, FxBuildHasher>,
}

/// A method's id in records, on a thread.
fn key(thread: u16, id: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(id)
}

impl<'a> Calls<'a> {
    pub fn new(methods: Methods<'a>) -> Self {
        Calls {
            sums: Sums::new(methods.list.len()),
            methods,
            total: 0,
            repairs: Repairs::default(),
            slots: Vec::new(),
            places: HashMap::default(),
        }
    }

    /// Adds up the next records.
    pub fn take(&mut self, records: MethodRecords<'_>, threads: &mut Threads) {
        match records.by_width() {
            ByWidth::One(records) => self.take_each(records, threads),
            ByWidth::Two(records) => self.take_each(records, threads),
        }
    }

    // Not inlined: inside its caller, half of its variables would be in memory instead of registers.
    #[inline(never)]
    fn take_each(
        &mut self,
        records: impl Iterator<Item = MethodRecord> + Clone,
        threads: &mut Threads,
    ) {
        let Some(first) = records.clone().next() else {
            return;
        };
        let mut thread = threads.of(first.thread, first.time_us);
        for record in records {
            // Most records have the same thread as the record before.
            if record.thread != thread.number {
                thread = threads.of(record.thread, record.time_us);
            }
            match record.action {
                0 => self.enter(thread, record.method, record.time_us),
                _ => self.exit(thread, record.method, record.time_us),
            }
        }
    }

    // Inlined: half of all records come here, and a call would save and restore all registers. The same applies to the
    // next two functions.
    #[inline(always)]
    fn enter(&mut self, thread: &mut Thread, id: u32, now: u32) {
        let place = self.slot(thread.number, id);
        let slot = &mut self.slots[place as usize];
        let callee = Activation::new(slot.method, slot.active > 0);
        slot.active += 1;
        thread.last = now;
        thread.frames.push(Frame {
            entry: now,
            id,
            callee,
            slot: place,
        });
        if thread.depth() > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(thread.depth());
        }
    }

    #[inline(always)]
    fn exit(&mut self, thread: &mut Thread, id: u32, now: u32) {
        match thread.frames[..] {
            // Equal ids are equal methods, so the usual exit needs no search.
            [.., caller, top] if top.id == id => self.close(thread, caller, top, now),
            _ => self.exit_searched(thread, id, now),
        }
    }

    /// Ends the call on top of the stack.
    #[inline(always)]
    fn close(&mut self, thread: &mut Thread, caller: Frame, top: Frame, now: u32) {
        thread.frames.pop();
        thread.last = now;
        let slot = &mut self.slots[top.slot as usize];
        slot.active -= 1;
        let inclusive = elapsed(top.entry, now);
        self.sums
            .count_known(slot, caller.callee, top.callee, inclusive);
    }

    /// An exit of a method whose id is not that on top of the stack.
    #[cold]
    fn exit_searched(&mut self, thread: &mut Thread, id: u32, now: u32) {
        let place = self.slot(thread.number, id);
        let Slot { method, active, .. } = self.slots[place as usize];
        if thread.depth() == 0 {
            self.exit_outside(thread, method, now);
        } else if active > 0 {
            self.exit_deeper(thread, method, now);
        } else {
            self.repairs.first.get_or_insert((thread.number, method));
            self.repairs.ignored += 1;
        }
    }

    /// An exit while no call is open. It counts as a call that began at time 0, but gets only the
    /// exclusive time since the last record.
    fn exit_outside(&mut self, thread: &mut Thread, method: MethodIndex, now: u32) {
        let callee = Activation::new(method, false);
        self.sums.count(BOTTOM, callee, now.into());
        self.sums.move_time(callee, BOTTOM, thread.last.into());
        thread.last = now;
    }

    /// An exit of a method on the stack. If it is not on top, the original prints the stack and
    /// exits.
    fn exit_deeper(&mut self, thread: &mut Thread, method: MethodIndex, now: u32) {
        while let [.., caller, top] = thread.frames[..] {
            self.close(thread, caller, top, now);
            if top.callee.method() == method {
                break;
            }
            self.repairs.first.get_or_insert((thread.number, method));
            self.repairs.closed_early += 1;
        }
    }

    /// The index of the slot for a method's id. Adds the slot if it is new.
    #[inline]
    fn slot(&mut self, thread: u16, id: u32) -> u32 {
        match self.places.get(&key(thread, id)) {
            Some(&place) => place,
            None => self.add_slot(thread, id),
        }
    }

    #[cold]
    fn add_slot(&mut self, thread: u16, id: u32) -> u32 {
        // Unknown ids share a slot.
        let (id, method) = match self.methods.find(id) {
            Some(method) => (id, method),
            None => (NO_ID, UNKNOWN),
        };
        *self.places.entry(key(thread, id)).or_insert_with(|| {
            self.slots.push(Slot::new(method));
            self.slots.len() as u32 - 1
        })
    }

    /// Closes open calls at each thread's last record, lowest thread number first and outermost
    /// call first, and adds up.
    pub fn finish(&mut self, threads: Threads) {
        for thread in threads.sorted() {
            let span = elapsed(thread.first, thread.last);
            self.sums.pass_time(BOTTOM, span);
            if thread.number < COUNTED_THREADS {
                self.total = self.total.wrapping_add(span);
            }
            self.close_all(&thread);
        }
        self.sums.finish(self.total);
    }

    /// Closes a thread's open calls. For a thread that is not counted, this only moves exclusive time from each caller
    /// to its callee.
    fn close_all(&mut self, thread: &Thread) {
        for pair in thread.frames.windows(2) {
            let (caller, callee) = (pair[0].callee, pair[1].callee);
            let inclusive = elapsed(pair[1].entry, thread.last);
            if thread.number < COUNTED_THREADS {
                self.sums.count(caller, callee, inclusive);
            } else {
                self.sums.move_time(caller, callee, inclusive);
            }
        }
    }
}
