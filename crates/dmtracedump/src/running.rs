//! A thread's stack, as its records push and pop it.

use super::account::{Repairs, Totals};
use super::activations::ThreadActivations;
use super::edges::{EdgeKey, Edges, Standing};
use super::methods::{MethodIndex, Methods, TOPLEVEL};
use super::records::{Feed, Record};

/// Frames on one stack at which the original gives up.
const ORIGINAL_DEPTH: usize = 10_000;

/// A call that is open.
pub(super) struct Frame {
    entry: u64,
    caller: Standing,
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
    /// What runs.
    top: Standing,
    /// The calls that led to `top`.
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
            top: BOTTOM,
            frames: Vec::new(),
        }
    }

    /// Calls still open, outermost first: who called, who was called, and since when.
    pub fn open(&self) -> impl Iterator<Item = (EdgeKey, u64)> {
        let callers = self.frames.iter().map(|frame| frame.caller);
        let callees = callers.skip(1).chain(std::iter::once(self.top));
        self.frames.iter().zip(callees).map(|(frame, callee)| {
            let caller = frame.caller;
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
    /// Takes the records up to another thread's; those left.
    #[inline]
    pub fn read<F: Feed>(mut self, mut records: F, methods: &Methods<'_>) -> F {
        while let Some(record) = records.peek() {
            if record.thread != self.thread.number {
                break;
            }
            records.advance();
            let now = u64::from(record.time);
            let method = methods.index_of(record.method);
            let call = if record.action != 0 {
                self.leave(method, now)
            } else if let Some(exit) = exit_of(&record, &records)
                && self.is_shallow()
            {
                records.advance();
                Some(self.leaf(method, now, exit.time.into()))
            } else {
                self.enter(method, now);
                None
            };
            if let Some((key, elapsed)) = call {
                self.edges.add(key, elapsed);
            }
        }
        records
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
        let caller = self.thread.top;
        self.thread.last = exit;
        (EdgeKey { caller, callee }, exit.wrapping_sub(entry))
    }

    #[inline]
    fn enter(&mut self, method: MethodIndex, now: u64) {
        let count = self.active.count(method);
        let below = *count;
        *count += 1;
        let callee = Standing::new(method, below > 0);
        let caller = std::mem::replace(&mut self.thread.top, callee);
        self.thread.frames.push(Frame {
            entry: now,
            caller,
            below,
        });
        self.thread.last = now;
        let depth = self.thread.frames.len();
        if depth > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(depth);
        }
    }

    /// No record names the method in which every thread runs: on an empty stack this is no match.
    #[inline]
    fn leave(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        if self.thread.top.method() == method {
            self.pop(now)
        } else {
            self.leave_mismatched(method, now)
        }
    }

    /// Here the original prints the stack and exits, if there is any.
    #[cold]
    fn leave_mismatched(&mut self, method: MethodIndex, now: u64) -> Option<Call> {
        if self.thread.frames.is_empty() {
            return Some(self.leave_nothing(method, now));
        }
        let number = self.thread.number;
        self.repairs.first.get_or_insert((number, method));
        if *self.active.count(method) == 0 {
            self.repairs.ignored += 1;
            return None;
        }
        while !self.thread.frames.is_empty() {
            let top = self.thread.top.method();
            let call = self.pop(now);
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
    fn leave_nothing(&mut self, method: MethodIndex, now: u64) -> Call {
        let last = std::mem::replace(&mut self.thread.last, now);
        let callee = Standing::new(method, false);
        let caller = BOTTOM;
        // Of that span, what passed before `last` was nobody's.
        self.totals[TOPLEVEL as usize].gain(last, false);
        self.totals[method as usize].gain(last.wrapping_neg(), false);
        (EdgeKey { caller, callee }, now)
    }

    /// What is on top leaves.
    #[inline]
    fn pop(&mut self, now: u64) -> Option<Call> {
        let frame = self.thread.frames.pop()?;
        let caller = frame.caller;
        let callee = std::mem::replace(&mut self.thread.top, caller);
        *self.active.count(callee.method()) = frame.below;
        self.thread.last = now;
        Some((EdgeKey { caller, callee }, now.wrapping_sub(frame.entry)))
    }
}

/// The exit that follows at once on `entry`, if that is what comes next.
#[inline]
fn exit_of(entry: &Record, next: &impl Feed) -> Option<Record> {
    let same = |exit: &Record| exit.thread == entry.thread && exit.method == entry.method;
    next.peek().filter(|exit| exit.action != 0 && same(exit))
}
