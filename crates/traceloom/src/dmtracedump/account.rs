//! Accounting: records in, times and call edges out.
//!
//! Time between two records of a thread belongs to the method on top of its stack (exclusive); a
//! call's own span is added to the method when it leaves (inclusive), unless the method stands
//! deeper in the stack as well. All arithmetic wraps, as the original's does.

use super::activations::Activations;
use super::edges::{EdgeKey, Edges};
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

    /// Adds time on top of a stack, where the method stands deeper as well or not.
    #[inline]
    fn spend(&mut self, spent: u64, deep: bool) {
        self.exclusive = self.exclusive.wrapping_add(spent);
        // Hardly ever, so it costs a guess that comes true instead of a sum.
        if deep {
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
    method: MethodIndex,
    /// How often the method stood on the stack already.
    below: u32,
}

struct Thread {
    number: u16,
    start: u64,
    last: u64,
    frames: Vec<Frame>,
}

impl Thread {
    /// Who is on top, and whether that method is on the stack more than once.
    #[inline]
    fn top(&self) -> (MethodIndex, bool) {
        let toplevel = (TOPLEVEL, false);
        self.frames
            .last()
            .map_or(toplevel, |f| (f.method, f.below > 0))
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
        let spent = now.wrapping_sub(state.last);
        let (caller, recursive) = state.top();
        self.totals[caller as usize].spend(spent, recursive);
        let count = self.active.count(thread, method);
        state.frames.push(Frame {
            entry: now,
            method,
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
            Some(top) if top.method != method => self.leave_mismatched(thread, method, now),
            _ => self.pop(thread, method, now),
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
        while let Some(top) = self.threads[thread].frames.last().map(|f| f.method) {
            self.pop(thread, top, now);
            if top == method {
                return;
            }
            self.repairs.closed_early += 1;
        }
    }

    /// `method` leaves; it is on top, or the stack is empty and the call began before all time.
    #[inline]
    fn pop(&mut self, thread: usize, method: MethodIndex, now: u64) {
        let state = &mut self.threads[thread];
        let (entry, below) = match state.frames.pop() {
            Some(frame) => {
                *self.active.count(thread, method) = frame.below;
                (frame.entry, frame.below)
            }
            None => (0, 0),
        };
        let caller = state.top();
        let spent = now.wrapping_sub(std::mem::replace(&mut state.last, now));
        self.call(caller, method, below > 0, now.wrapping_sub(entry));
        self.totals[method as usize].spend(spent, below > 0);
    }

    /// A call has ended.
    #[inline]
    fn call(&mut self, caller: (MethodIndex, bool), child: MethodIndex, again: bool, elapsed: u64) {
        let totals = &mut self.totals[child as usize];
        if !again {
            totals.inclusive = totals.inclusive.wrapping_add(elapsed);
        }
        let calls = &mut totals.calls[usize::from(again)];
        *calls = calls.wrapping_add(1);
        let key = EdgeKey {
            parent: caller.0,
            child,
            parent_recursive: caller.1,
            child_recursive: again,
        };
        self.edges.add(key, elapsed);
    }

    /// Closes what is still open at each thread's last record, lowest thread number first and
    /// outermost call first.
    pub fn finish(mut self) -> Account {
        let mut threads = std::mem::take(&mut self.threads);
        threads.retain(|t| t.number < COUNTED_THREADS);
        threads.sort_by_key(|t| t.number);
        let mut total = 0u64;
        for thread in &threads {
            total = total.wrapping_add(thread.last.wrapping_sub(thread.start));
            let mut caller = (TOPLEVEL, false);
            for frame in &thread.frames {
                let elapsed = thread.last.wrapping_sub(frame.entry);
                self.call(caller, frame.method, frame.below > 0, elapsed);
                caller = (frame.method, frame.below > 0);
            }
        }
        self.edges.settle();
        self.totals[TOPLEVEL as usize].inclusive = total;
        Account {
            totals: self.totals,
            edges: self.edges,
            total,
            repairs: self.repairs,
        }
    }
}
