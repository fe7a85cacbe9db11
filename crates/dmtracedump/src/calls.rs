//! Adds up the records: the times of methods, and the edges of the call graph.
//!
//! The time between two records of a thread belongs to the method on top of its stack (exclusive).
//! A call's own span is added to the method at its exit (inclusive), unless the method is also
//! deeper in the stack. All arithmetic wraps, as in the original.
//!
//! The original searches a linked list of a method's callers and another of its callees at every
//! exit, which makes it quadratic in wide call graphs. Here an exit updates one entry of a hash
//! table of edges from caller to callee; both lists are made from it at the end.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use traceloom_formats::MethodRecord;

use super::methods::{MethodIndex, Methods, UNKNOWN};
use super::sums::{Activation, BOTTOM, Slot, Sums};

/// The original closes the calls of, and adds up, only threads with numbers below this.
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

/// A thread and its stack; times in µs.
struct Thread {
    number: u16,
    first: u64,
    last: u64,
    /// The open calls, outermost first.
    frames: Vec<Frame>,
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

impl Thread {
    fn top(&self) -> Activation {
        self.frames.last().map_or(BOTTOM, |frame| frame.callee)
    }

    /// The time since the thread's last record, µs.
    fn elapse(&mut self, now: u64) -> u64 {
        now.wrapping_sub(std::mem::replace(&mut self.last, now))
    }

    /// Ends the call on top of the stack, if there is one.
    // Every second record comes here, and a call would save and restore all registers.
    #[inline(always)]
    fn pop(&mut self, now: u64, slots: &mut [Slot], sums: &mut Sums) {
        if let Some(frame) = self.frames.pop() {
            sums.pass_time(frame.callee, self.elapse(now));
            let slot = &mut slots[frame.slot as usize];
            slot.active -= 1;
            let elapsed = now.wrapping_sub(frame.entry);
            sums.count_known(slot, self.top(), frame.callee, elapsed);
        }
    }
}

/// The methods of each thread, in the order of their first call.
#[derive(Default)]
struct Slots {
    list: Vec<Slot>,
    /// Places in the list, by thread number and the method's id in records.
    places: HashMap<(u16, u32), u32, FxBuildHasher>,
}

/// The calls of a trace, which are added up record by record.
pub(super) struct Calls<'a> {
    pub methods: Methods<'a>,
    pub sums: Sums,
    /// Time from the first to the last record, summed over threads, µs.
    pub total: u64,
    pub repairs: Repairs,
    threads: Vec<Thread>,
    /// Places in that list, by thread number.
    places: HashMap<u16, usize, FxBuildHasher>,
    /// The number and place of the last record's thread, which the next record mostly has too.
    last: Option<(u16, usize)>,
    slots: Slots,
}

impl<'a> Calls<'a> {
    pub fn new(methods: Methods<'a>) -> Self {
        Calls {
            sums: Sums::new(methods.list.len()),
            methods,
            total: 0,
            repairs: Repairs::default(),
            threads: Vec::new(),
            places: HashMap::default(),
            last: None,
            slots: Slots::default(),
        }
    }

    /// Handles the next record.
    #[inline]
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
        let at = *self.places.entry(number).or_insert_with(|| {
            self.threads.push(Thread {
                number,
                first: now,
                last: now,
                frames: Vec::new(),
            });
            self.threads.len() - 1
        });
        self.last = Some((number, at));
        at
    }

    /// The place of the slot of a method's id. Adds the slot if it is new.
    #[inline]
    fn slot(&mut self, thread: u16, id: u32) -> u32 {
        match self.slots.places.get(&(thread, id)) {
            Some(&place) => place,
            None => self.add_slot(thread, id),
        }
    }

    #[cold]
    fn add_slot(&mut self, thread: u16, id: u32) -> u32 {
        // Unknown ids share a slot. No record has its id: their two low bits are clear.
        let (id, method) = match self.methods.find(id) {
            Some(method) => (id, method),
            None => (1, UNKNOWN),
        };
        let Slots { list, places } = &mut self.slots;
        *places.entry((thread, id)).or_insert_with(|| {
            list.push(Slot::new(method));
            list.len() as u32 - 1
        })
    }

    fn enter(&mut self, at: usize, record: &MethodRecord, now: u64) {
        let place = self.slot(record.thread, record.method);
        let slot = &mut self.slots.list[place as usize];
        let callee = Activation::new(slot.method, slot.active > 0);
        slot.active += 1;
        let thread = &mut self.threads[at];
        self.sums.pass_time(thread.top(), thread.elapse(now));
        thread.frames.push(Frame {
            entry: now,
            id: record.method,
            callee,
            slot: place,
        });
        if thread.frames.len() > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(thread.frames.len());
        }
    }

    /// No record can name the method that every thread starts in, so an empty stack never matches.
    fn exit(&mut self, at: usize, record: &MethodRecord, now: u64) {
        let thread = &mut self.threads[at];
        // Equal ids are equal methods, so the usual exit needs no search.
        match thread.frames.last() {
            Some(top) if top.id == record.method => {
                thread.pop(now, &mut self.slots.list, &mut self.sums);
            }
            _ => self.exit_searched(at, record, now),
        }
    }

    fn exit_searched(&mut self, at: usize, record: &MethodRecord, now: u64) {
        let slot = self.slot(record.thread, record.method);
        let Slot { method, active, .. } = self.slots.list[slot as usize];
        let thread = &mut self.threads[at];
        if thread.top().method() == method {
            thread.pop(now, &mut self.slots.list, &mut self.sums);
        } else if thread.frames.is_empty() {
            // It counts as a call that began at time 0, but gets only the exclusive time since the
            // last record.
            let callee = Activation::new(method, false);
            self.sums.pass_time(callee, thread.elapse(now));
            self.sums.count(BOTTOM, callee, now);
        } else {
            self.exit_mismatched(at, method, active > 0, now);
        }
    }

    /// At this point, the original prints the stack and exits.
    #[cold]
    fn exit_mismatched(&mut self, at: usize, method: MethodIndex, is_active: bool, now: u64) {
        let thread = &mut self.threads[at];
        self.repairs.first.get_or_insert((thread.number, method));
        if !is_active {
            self.repairs.ignored += 1;
            return;
        }
        while thread.top().method() != method {
            thread.pop(now, &mut self.slots.list, &mut self.sums);
            self.repairs.closed_early += 1;
        }
        thread.pop(now, &mut self.slots.list, &mut self.sums);
    }

    /// Closes open calls at each thread's last record, lowest thread number first and outermost
    /// call first, and adds up.
    pub fn finish(&mut self) {
        self.threads.sort_unstable_by_key(|thread| thread.number);
        let counted = |thread: &&Thread| thread.number < COUNTED_THREADS;
        for thread in self.threads.iter().filter(counted) {
            let span = thread.last.wrapping_sub(thread.first);
            self.total = self.total.wrapping_add(span);
            let mut caller = BOTTOM;
            for frame in &thread.frames {
                let elapsed = thread.last.wrapping_sub(frame.entry);
                self.sums.count(caller, frame.callee, elapsed);
                caller = frame.callee;
            }
        }
        self.sums.finish(self.total);
    }
}
