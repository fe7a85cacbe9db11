//! The threads of a trace and their stacks.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::sums::{Activation, BOTTOM};

/// No record has this id: their two low bits are clear.
pub(super) const NO_ID: u32 = 1;

/// A thread and its stack; times in µs.
pub(super) struct Thread {
    pub number: u16,
    pub first: u32,
    pub last: u32,
    /// The frame outside of all calls, then the open calls, outermost first.
    pub frames: Vec<Frame>,
}

/// An open call.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub entry: u32,
    /// The method's id in records.
    pub id: u32,
    pub callee: Activation,
    /// The index of the callee's [`Slot`](super::sums::Slot).
    pub slot: u32,
}

impl Thread {
    /// A thread whose first record is at `now`.
    fn new(number: u16, now: u32) -> Self {
        let bottom = Frame {
            entry: now,
            id: NO_ID,
            callee: BOTTOM,
            slot: 0,
        };
        Thread {
            number,
            first: now,
            last: now,
            frames: vec![bottom],
        }
    }

    /// The number of open calls.
    pub fn depth(&self) -> usize {
        self.frames.len() - 1
    }
}

/// All threads.
#[derive(Default)]
pub(super) struct Threads {
    list: Vec<Thread>,
    /// Indexes of that list, by thread number.
    places: HashMap<u16, usize, FxBuildHasher>,
}

impl Threads {
    /// The thread of a record. Adds the thread if it is new.
    pub fn of(&mut self, number: u16, now: u32) -> &mut Thread {
        let list = &mut self.list;
        let place = *self.places.entry(number).or_insert_with(|| {
            list.push(Thread::new(number, now));
            list.len() - 1
        });
        &mut list[place]
    }

    /// The threads, lowest number first.
    pub fn sorted(mut self) -> Vec<Thread> {
        self.list.sort_unstable_by_key(|thread| thread.number);
        self.list
    }
}

/// The time between two records, µs. It wraps if the clock stepped back.
pub(super) fn elapsed(from: u32, to: u32) -> u64 {
    u64::from(to).wrapping_sub(u64::from(from))
}
