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

/// A call that has ended, and how long it took, µs.
type Call = (EdgeKey, u64);

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
            let call = if record.action != 0 {
                self.leave(method, now)
            } else if self.is_shallow()
                && let Some(exit) = records.exit_of::<SHAPE>(&record)
            {
                Some(self.leaf(method, now, exit.time.into()))
            } else {
                self.enter(method, now);
                None
            };
            if let Some((key, elapsed)) = call {
                self.edges.add(key, elapsed);
            }
        }
    }

    /// Whether one more call is not too deep for the original.
    #[inline]
    fn is_shallow(&self) -> bool {
        self.thread.frames.len() < ORIGINAL_DEPTH
    }

    /// A call that calls nobody: more than half of all calls do so, and need not come onto the stack.
    #[inline]
    fn leaf(&mut self, method: MethodIndex, entry: u64, exit: u64) -> Call {
        let callee = Standing::new(method, *self.active.count(method) > 0);
        let caller = self.thread.top();
        self.thread.last = exit;
        (EdgeKey { caller, callee }, exit.wrapping_sub(entry))
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
    fn leave(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        match self.thread.frames.last() {
            Some(top) if top.standing.method() == method => self.pop(method, now),
            Some(_) => self.leave_mismatched(method, now),
            None => self.leave_nothing(method, now),
        }
    }

    /// Here the original prints the stack and exits.
    #[cold]
    fn leave_mismatched(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        let number = self.thread.number;
        self.repairs.first.get_or_insert((number, method));
        if *self.active.count(method) == 0 {
            self.repairs.ignored += 1;
            return None;
        }
        while let Some(top) = self.thread.frames.last() {
            let top = top.standing.method();
            let call = self.pop(top, now);
            if top == method {
                return call;
            }
            if let Some((key, elapsed)) = call {
                self.edges.add(key, elapsed);
            }
            self.repairs.closed_early += 1;
        }
        None
    }

    /// `method` leaves an empty stack: as if the call began before all time, though it gets no more
    /// for itself than what passed since the last record.
    #[cold]
    fn leave_nothing(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        let last = std::mem::replace(&mut self.thread.last, now);
        let callee = Standing::new(method, false);
        let caller = BOTTOM;
        // Of that span, what passed before `last` was nobody's.
        self.totals[TOPLEVEL as usize].gain(last, false);
        self.totals[method as usize].gain(last.wrapping_neg(), false);
        Some((EdgeKey { caller, callee }, now))
    }

    /// `method`, which is on top, leaves.
    #[inline]
    fn pop(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        let frame = self.thread.frames.pop()?;
        *self.active.count(method) = frame.below;
        self.thread.last = now;
        let key = EdgeKey {
            caller: self.thread.top(),
            callee: frame.standing,
        };
        Some((key, now.wrapping_sub(frame.entry)))
    }
}
