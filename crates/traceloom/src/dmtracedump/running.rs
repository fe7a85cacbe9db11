//! A thread's stack, as its records push and pop it.

use super::account::{Repairs, Totals};
use super::activations::ThreadActivations;
use super::edges::{EdgeKey, Edges, Standing};
use super::methods::{MethodIndex, Methods, TOPLEVEL, UNKNOWN};
use super::records::{Record, Records};

/// Frames on one stack at which the original gives up.
const ORIGINAL_DEPTH: usize = 10_000;

/// A call that is open.
pub(super) struct Frame {
    entry: u64,
    standing: Standing,
    /// How often the method stood on the stack already.
    below: u32,
}

/// What every thread runs in.
pub(super) const BOTTOM: Standing = Standing::new(TOPLEVEL, false);

/// A thread and its stack; times in µs.
pub(super) struct Thread {
    pub number: u16,
    /// Its first record.
    pub start: u64,
    /// Its latest.
    pub last: u64,
    frames: Vec<Frame>,
}

impl Thread {
    /// The thread of a record, before it.
    pub fn new(first: &Record) -> Self {
        let now = u64::from(first.time);
        Thread {
            number: first.thread,
            start: now,
            last: now,
            frames: Vec::new(),
        }
    }

    #[inline]
    fn top(&self) -> Standing {
        self.frames.last().map_or(BOTTOM, |frame| frame.standing)
    }

    /// Calls still open, outermost first: who called, who was called, and since when.
    pub fn open(&self) -> impl Iterator<Item = (EdgeKey, u64)> {
        let callers = std::iter::once(BOTTOM).chain(self.frames.iter().map(|f| f.standing));
        callers.zip(&self.frames).map(|(caller, frame)| {
            let callee = frame.standing;
            (
                EdgeKey { caller, callee },
                self.last.wrapping_sub(frame.entry),
            )
        })
    }
}

/// A thread whose records come, and what they change.
pub(super) struct Running<'t> {
    pub thread: &'t mut Thread,
    pub active: ThreadActivations<'t>,
    pub totals: &'t mut [Totals],
    pub edges: &'t mut Edges,
    pub repairs: &'t mut Repairs,
}

impl Running<'_> {
    /// Takes the records up to another thread's.
    #[inline]
    pub fn read<const SHAPE: usize>(mut self, records: &mut Records<'_>, methods: &Methods<'_>) {
        while let Some(record) = records.next_of::<SHAPE>(self.thread.number) {
            let now = u64::from(record.time);
            let method = methods.find(record.method).unwrap_or(UNKNOWN);
            match record.action {
                0 => self.enter(method, now),
                _ => self.leave(method, now),
            }
        }
    }

    #[inline]
    fn enter(&mut self, method: MethodIndex, now: u64) {
        let count = self.active.count(method);
        self.thread.frames.push(Frame {
            entry: now,
            standing: Standing::new(method, *count > 0),
            below: *count,
        });
        *count += 1;
        self.thread.last = now;
        let depth = self.thread.frames.len();
        if depth > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(depth);
        }
    }

    #[inline]
    fn leave(&mut self, method: MethodIndex, now: u64) {
        match self.thread.frames.last() {
            Some(top) if top.standing.method() == method => self.pop(method, now),
            Some(_) => self.leave_mismatched(method, now),
            None => self.leave_nothing(method, now),
        }
    }

    /// Here the original prints the stack and exits.
    #[cold]
    fn leave_mismatched(&mut self, method: MethodIndex, now: u64) {
        let number = self.thread.number;
        self.repairs.first.get_or_insert((number, method));
        if *self.active.count(method) == 0 {
            self.repairs.ignored += 1;
            return;
        }
        while let Some(top) = self.thread.frames.last() {
            let top = top.standing.method();
            self.pop(top, now);
            if top == method {
                return;
            }
            self.repairs.closed_early += 1;
        }
    }

    /// `method` leaves an empty stack: as if the call began before all time, though it gets no more
    /// for itself than what passed since the last record.
    #[cold]
    fn leave_nothing(&mut self, method: MethodIndex, now: u64) {
        let last = std::mem::replace(&mut self.thread.last, now);
        let callee = Standing::new(method, false);
        let caller = BOTTOM;
        self.edges.add(EdgeKey { caller, callee }, now);
        // Of that span, what passed before `last` was nobody's.
        self.totals[TOPLEVEL as usize].gain(last, false);
        self.totals[method as usize].gain(last.wrapping_neg(), false);
    }

    /// `method`, which is on top, leaves.
    #[inline]
    fn pop(&mut self, method: MethodIndex, now: u64) {
        let Some(frame) = self.thread.frames.pop() else {
            return;
        };
        *self.active.count(method) = frame.below;
        self.thread.last = now;
        let key = EdgeKey {
            caller: self.thread.top(),
            callee: frame.standing,
        };
        self.edges.add(key, now.wrapping_sub(frame.entry));
    }
}
