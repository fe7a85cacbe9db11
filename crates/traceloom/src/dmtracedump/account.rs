//! Accounting: records in, times and call edges out.
//!
//! Time between two records of a thread belongs to the method on top of its stack (exclusive); a
//! call's own span is added to the method when it leaves (inclusive), unless the method stands
//! deeper in the stack as well. All arithmetic wraps, as the original's does.
//!
//! Only the spans of calls are counted record by record, at their edges. What a method had for
//! itself is what its calls took less what it spent in calls of others; sums that wrap make no
//! difference to that.

use super::activations::Activations;
use super::edges::{Edge, EdgeKey, Edges, Standing};
use super::methods::{MethodIndex, Methods, TOPLEVEL, UNKNOWN};
use super::records::Record;

/// The original closes and sums up only threads with numbers below this.
pub(super) const COUNTED_THREADS: u16 = 1 << 15;

/// Frames on one stack at which the original gives up.
const ORIGINAL_DEPTH: usize = 10_000;

/// What one method has gathered; µs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub exclusive: u64,
    pub inclusive: u64,
    /// The part of `exclusive` in activations with others of the same method below them.
    pub deep_exclusive: u64,
    /// Plain calls and recursive calls.
    pub calls: [i32; 2],
}

impl Totals {
    pub fn all_calls(&self) -> i32 {
        self.calls[0].wrapping_add(self.calls[1])
    }

    /// Exclusive time of activations with no other of the same method below them, µs.
    pub fn top_exclusive(&self) -> u64 {
        self.exclusive.wrapping_sub(self.deep_exclusive)
    }

    /// Takes a call of this method that took `elapsed` µs.
    fn called(&mut self, elapsed: u64, calls: u32, recursive: bool) {
        let times = &mut self.calls[usize::from(recursive)];
        *times = times.wrapping_add(calls as i32);
        if !recursive {
            self.inclusive = self.inclusive.wrapping_add(elapsed);
        }
    }

    /// Adds to what the method has for itself.
    fn gain(&mut self, spent: u64, recursive: bool) {
        self.exclusive = self.exclusive.wrapping_add(spent);
        if recursive {
            self.deep_exclusive = self.deep_exclusive.wrapping_add(spent);
        }
    }
}

/// What the original would not have survived.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    /// Exits of a method deeper in the stack: the calls above it were closed with it.
    pub closed_early: u64,
    /// Exits of a method that was not on the stack: ignored.
    pub ignored: u64,
    /// The first of those: thread, method.
    pub first: Option<(u16, MethodIndex)>,
    /// The deepest stack beyond the original's limit, frames.
    pub too_deep: usize,
}

struct Frame {
    entry: u64,
    standing: Standing,
    /// How often the method stood on the stack already.
    below: u32,
}

/// What every thread runs in.
const BOTTOM: Standing = Standing::new(TOPLEVEL, false);

struct Thread {
    number: u16,
    start: u64,
    last: u64,
    frames: Vec<Frame>,
}

impl Thread {
    #[inline]
    fn top(&self) -> Standing {
        self.frames.last().map_or(BOTTOM, |frame| frame.standing)
    }

    /// Calls still open, outermost first: who called, who was called, and since when.
    fn open(&self) -> impl Iterator<Item = (EdgeKey, u64)> {
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

fn no_places() -> Box<[u32; 1 << 16]> {
    let zeros = vec![0; 1 << 16].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| Box::new([0; 1 << 16]))
}

/// The state while records are read.
pub(super) struct Accountant<'m, 'a> {
    methods: &'m Methods<'a>,
    totals: Vec<Totals>,
    edges: Edges,
    threads: Vec<Thread>,
    /// Thread number to place in `threads`, plus one.
    places: Box<[u32; 1 << 16]>,
    active: Activations,
    repairs: Repairs,
}

/// The result.
pub(super) struct Account {
    /// By method.
    pub totals: Vec<Totals>,
    pub edges: Edges,
    /// From first to last record, summed over threads, µs.
    pub total: u64,
    pub repairs: Repairs,
}

impl<'m, 'a> Accountant<'m, 'a> {
    pub fn new(methods: &'m Methods<'a>) -> Self {
        Accountant {
            methods,
            totals: vec![Totals::default(); methods.len()],
            edges: Edges::new(),
            threads: Vec::new(),
            places: no_places(),
            active: Activations::new(methods.len()),
            repairs: Repairs::default(),
        }
    }

    #[inline]
    pub fn record(&mut self, record: Record) {
        let now = u64::from(record.time);
        let thread = match self.places[usize::from(record.thread)] {
            0 => self.start_thread(record.thread, now),
            place => place as usize - 1,
        };
        let method = self.methods.find(record.method).unwrap_or(UNKNOWN);
        if record.action == 0 {
            self.enter(thread, method, now);
        } else {
            self.leave(thread, method, now);
        }
    }

    #[cold]
    fn start_thread(&mut self, number: u16, now: u64) -> usize {
        self.threads.push(Thread {
            number,
            start: now,
            last: now,
            frames: Vec::new(),
        });
        self.active.add_thread();
        self.places[usize::from(number)] = self.threads.len() as u32;
        self.threads.len() - 1
    }

    #[inline]
    fn enter(&mut self, thread: usize, method: MethodIndex, now: u64) {
        let state = &mut self.threads[thread];
        let count = self.active.count(thread, method);
        state.frames.push(Frame {
            entry: now,
            standing: Standing::new(method, *count > 0),
            below: *count,
        });
        *count += 1;
        state.last = now;
        if state.frames.len() > ORIGINAL_DEPTH {
            self.repairs.too_deep = self.repairs.too_deep.max(state.frames.len());
        }
    }

    #[inline]
    fn leave(&mut self, thread: usize, method: MethodIndex, now: u64) {
        match self.threads[thread].frames.last() {
            Some(top) if top.standing.method() == method => self.pop(thread, method, now),
            Some(_) => self.leave_mismatched(thread, method, now),
            None => self.leave_nothing(thread, method, now),
        }
    }

    /// Here the original prints the stack and exits.
    #[cold]
    fn leave_mismatched(&mut self, thread: usize, method: MethodIndex, now: u64) {
        let number = self.threads[thread].number;
        self.repairs.first.get_or_insert((number, method));
        if *self.active.count(thread, method) == 0 {
            self.repairs.ignored += 1;
            return;
        }
        while let Some(top) = self.threads[thread].frames.last() {
            let top = top.standing.method();
            self.pop(thread, top, now);
            if top == method {
                return;
            }
            self.repairs.closed_early += 1;
        }
    }

    /// `method` leaves an empty stack: as if the call began before all time, though it gets no more
    /// for itself than what passed since the last record.
    #[cold]
    fn leave_nothing(&mut self, thread: usize, method: MethodIndex, now: u64) {
        let last = std::mem::replace(&mut self.threads[thread].last, now);
        let callee = Standing::new(method, false);
        let caller = BOTTOM;
        self.edges.add(EdgeKey { caller, callee }, now);
        // Of that span, what passed before `last` was nobody's.
        self.totals[TOPLEVEL as usize].gain(last, false);
        self.totals[method as usize].gain(last.wrapping_neg(), false);
    }

    /// `method`, which is on top, leaves.
    #[inline]
    fn pop(&mut self, thread: usize, method: MethodIndex, now: u64) {
        let state = &mut self.threads[thread];
        let Some(frame) = state.frames.pop() else {
            return;
        };
        *self.active.count(thread, method) = frame.below;
        state.last = now;
        let key = EdgeKey {
            caller: state.top(),
            callee: frame.standing,
        };
        self.edges.add(key, now.wrapping_sub(frame.entry));
    }

    /// Closes what is still open at each thread's last record, lowest thread number first and
    /// outermost call first, and sums up.
    pub fn finish(mut self) -> Account {
        let mut threads = std::mem::take(&mut self.threads);
        threads.sort_by_key(|t| t.number);
        let mut total = 0u64;
        for thread in &threads {
            let whole = thread.last.wrapping_sub(thread.start);
            self.totals[TOPLEVEL as usize].gain(whole, false);
            if thread.number < COUNTED_THREADS {
                total = total.wrapping_add(whole);
                thread
                    .open()
                    .for_each(|(key, elapsed)| self.edges.add(key, elapsed));
            } else {
                // These stay open, but what they had for themselves counts.
                thread
                    .open()
                    .for_each(|(key, elapsed)| share(&mut self.totals, key, elapsed));
            }
        }
        self.edges.settle();
        for edge in self.edges.iter() {
            let Edge {
                inclusive, calls, ..
            } = *edge;
            let EdgeKey { callee, .. } = edge.key();
            share(&mut self.totals, edge.key(), inclusive);
            self.totals[callee.method() as usize].called(inclusive, calls, callee.is_recursive());
        }
        self.totals[TOPLEVEL as usize].inclusive = total;
        Account {
            totals: self.totals,
            edges: self.edges,
            total,
            repairs: self.repairs,
        }
    }
}

/// A span is the callee's, and not its caller's.
fn share(totals: &mut [Totals], key: EdgeKey, elapsed: u64) {
    let EdgeKey { caller, callee } = key;
    totals[callee.method() as usize].gain(elapsed, callee.is_recursive());
    totals[caller.method() as usize].gain(elapsed.wrapping_neg(), caller.is_recursive());
}
