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
use super::edges::{Edge, EdgeKey, Edges};
use super::methods::{MethodIndex, Methods, TOPLEVEL};
use super::places::Places;
use super::records::{Feed, Record, Records};
use super::running::{Running, Thread};

/// The original closes and sums up only threads with numbers below this.
pub(super) const COUNTED_THREADS: u16 = 1 << 15;

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
    pub fn gain(&mut self, spent: u64, recursive: bool) {
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

/// The state while records are read.
pub(super) struct Accountant<'m, 'a> {
    methods: &'m Methods<'a>,
    totals: Vec<Totals>,
    edges: Edges,
    threads: Vec<Thread>,
    places: Places,
    active: Activations,
    repairs: Repairs,
}

/// The result.
pub(super) struct Account {
    /// By method.
    pub totals: Vec<Totals>,
    /// In the order in which they were found.
    pub edges: Vec<Edge>,
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
            places: Places::default(),
            active: Activations::new(methods.len()),
            repairs: Repairs::default(),
        }
    }

    /// Takes all records.
    pub fn read(&mut self, records: &Records<'_>) {
        // Version 3 with two clocks; version 2, and 3 with one.
        if let Some(shaped) = records.shaped::<14>() {
            self.read_all(shaped);
        } else if let Some(shaped) = records.shaped::<10>() {
            self.read_all(shaped);
        } else {
            self.read_all(records.clone());
        }
    }

    fn read_all(&mut self, mut records: impl Feed) {
        while let Some(first) = records.peek() {
            let place = self.places.of(first.thread);
            let thread = place.unwrap_or_else(|| self.start_thread(&first));
            let methods = self.methods;
            records = self.running(thread).read(records, methods);
        }
    }

    fn running(&mut self, thread: usize) -> Running<'_> {
        Running {
            thread: &mut self.threads[thread],
            active: self.active.of(thread),
            totals: &mut self.totals,
            edges: &mut self.edges,
            repairs: &mut self.repairs,
        }
    }

    #[cold]
    fn start_thread(&mut self, first: &Record) -> usize {
        self.threads.push(Thread::new(first));
        self.active.add_thread();
        let place = self.threads.len() - 1;
        self.places.put(first.thread, place);
        place
    }

    /// Closes what is still open and sums up.
    pub fn finish(mut self) -> Account {
        let total = self.close();
        let edges = self.edges.finish();
        sum_up(&edges, &mut self.totals);
        self.totals[TOPLEVEL as usize].inclusive = total;
        Account {
            totals: self.totals,
            edges,
            total,
            repairs: self.repairs,
        }
    }

    /// Closes open calls at each thread's last record, lowest thread number first and outermost
    /// call first; how long the counted threads took.
    fn close(&mut self) -> u64 {
        self.threads.sort_by_key(|t| t.number);
        let mut total = 0u64;
        for thread in &self.threads {
            let whole = thread.last.wrapping_sub(thread.start);
            self.totals[TOPLEVEL as usize].gain(whole, false);
            let counts = thread.number < COUNTED_THREADS;
            total = total.wrapping_add(if counts { whole } else { 0 });
            for (key, elapsed) in thread.open() {
                if counts {
                    self.edges.add(key, elapsed)
                } else {
                    // Still open: only its exclusive time is counted.
                    share(&mut self.totals, key, elapsed)
                }
            }
        }
        total
    }
}

/// What each method had, by the edges.
fn sum_up(edges: &[Edge], totals: &mut [Totals]) {
    for edge in edges {
        let (elapsed, callee) = (edge.inclusive, edge.key().callee);
        share(totals, edge.key(), elapsed);
        let totals = &mut totals[callee.method() as usize];
        totals.called(elapsed, edge.calls, callee.is_recursive());
    }
}

/// A span is the callee's, and not its caller's.
fn share(totals: &mut [Totals], key: EdgeKey, elapsed: u64) {
    let EdgeKey { caller, callee } = key;
    totals[callee.method() as usize].gain(elapsed, callee.is_recursive());
    totals[caller.method() as usize].gain(elapsed.wrapping_neg(), caller.is_recursive());
}
