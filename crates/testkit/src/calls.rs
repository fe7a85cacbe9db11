//! Method traces of any size for benchmarks: threads that call and return at random.

use crate::method_trace::{Clock, MethodTraceBytes, Record};
use crate::rng::Rng;

/// The structure of the calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallShape {
    /// As in real traces: call paths repeat. The number of distinct paths is about a tenth of the records.
    Repeating,
    /// Every call path is new: the worst case for a tree of call paths.
    AllNew,
    /// Any method calls any other: what makes the original dmtracedump quadratic.
    Random,
}

/// Default number of threads.
const THREADS: u16 = 4;
/// Number of records that a thread writes before the next thread continues.
const BURST: usize = 1000;
/// Maximum depth of calls.
const MAX_DEPTH: usize = 60;

/// A dual-clock v3 trace with about `records` records over `methods` methods on four threads.
pub fn call_trace(shape: CallShape, records: usize, methods: u32, seed: u64) -> Vec<u8> {
    wide_call_trace(shape, records, methods, THREADS, seed)
}

/// As [`call_trace`], on any number of threads.
pub fn wide_call_trace(
    shape: CallShape,
    records: usize,
    methods: u32,
    threads: u16,
    seed: u64,
) -> Vec<u8> {
    let mut maker = Maker::new(shape, methods, threads, seed);
    let mut all = Vec::with_capacity(records + usize::from(threads) * MAX_DEPTH);
    while all.len() < records {
        let thread = (all.len() / BURST) % usize::from(threads);
        all.push(maker.step(thread));
    }
    maker.close(&mut all);
    let elapsed_us = u64::from(maker.wall_us);
    file(methods, threads, elapsed_us, all).to_bytes()
}

fn file(methods: u32, threads: u16, elapsed_us: u64, records: Vec<Record>) -> MethodTraceBytes {
    let method = |index: u32| {
        let class = format!("com.example.pkg{}.Class{}", index % 40, index % 400);
        (
            index << 2,
            format!(
                "{class}\tmethod{index}\t(ILjava/lang/String;)V\tClass{}.java",
                index % 400
            ),
        )
    };
    MethodTraceBytes {
        version: 3,
        clock: Clock::Dual,
        vm: "art",
        pid: Some(4321),
        start_us: 5_000_000,
        elapsed_us,
        threads: (0..threads)
            .map(|thread| (thread + 1, format!("worker-{thread}")))
            .collect(),
        methods: (1..=methods).map(method).collect(),
        records,
    }
}

struct Maker {
    shape: CallShape,
    methods: u32,
    rng: Rng,
    stacks: Vec<Vec<u32>>,
    cpu_us: Vec<u32>,
    wall_us: u32,
    /// Number of calls so far, for the shape without repeated paths.
    calls: u64,
}

impl Maker {
    fn new(shape: CallShape, methods: u32, threads: u16, seed: u64) -> Self {
        Self {
            shape,
            methods,
            rng: Rng::new(seed),
            stacks: vec![Vec::new(); threads.into()],
            cpu_us: vec![0; threads.into()],
            wall_us: 0,
            calls: 0,
        }
    }

    fn step(&mut self, thread: usize) -> Record {
        let depth = self.stacks[thread].len();
        // Keeps the depth near a typical value, as in real programs. With equal odds it would drift to one of the
        // limits.
        let call_percent = if depth < 20 { 60 } else { 45 };
        let call = depth == 0 || (depth < MAX_DEPTH && self.rng.chance(call_percent));
        if call {
            self.call(thread)
        } else {
            self.leave(thread)
        }
    }

    fn call(&mut self, thread: usize) -> Record {
        let callee = self.callee(thread);
        self.calls += 1;
        self.stacks[thread].push(callee);
        self.record(thread, callee, 0)
    }

    fn leave(&mut self, thread: usize) -> Record {
        let method = self.stacks[thread]
            .pop()
            .expect("the stack was just seen not to be empty");
        let action = if self.rng.chance(1) { 2 } else { 1 };
        self.record(thread, method, action)
    }

    fn callee(&mut self, thread: usize) -> u32 {
        let methods = u64::from(self.methods);
        let caller = u64::from(self.stacks[thread].last().copied().unwrap_or(0));
        let index = match self.shape {
            CallShape::Random => self.rng.below(methods),
            CallShape::Repeating => (caller * 31 + self.likely_branch()) % methods,
            // Counting in a number system with `methods` digits: siblings never repeat.
            CallShape::AllNew => self.calls % methods,
        };
        index as u32 + 1
    }

    /// The callee of a method: mostly the first.
    fn likely_branch(&mut self) -> u64 {
        match self.rng.below(100) {
            0..=84 => 1,
            85..=97 => 2,
            _ => 3,
        }
    }

    fn record(&mut self, thread: usize, method: u32, action: u8) -> Record {
        let spent = self.rng.between(1, 4) as u32;
        self.wall_us = self.wall_us.wrapping_add(spent);
        self.cpu_us[thread] = self.cpu_us[thread].wrapping_add(spent.min(2));
        Record {
            tid: thread as u16 + 1,
            method: method << 2,
            action,
            cpu_us: self.cpu_us[thread],
            time_us: self.wall_us,
        }
    }

    fn close(&mut self, all: &mut Vec<Record>) {
        for thread in 0..self.stacks.len() {
            while !self.stacks[thread].is_empty() {
                all.push(self.leave(thread));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Distinct call paths as a share of the calls.
    fn distinct_paths(shape: CallShape) -> f64 {
        let mut maker = Maker::new(shape, 2_000, THREADS, 7);
        let (mut paths, mut calls) = (HashSet::new(), 0);
        for step in 0..200_000 {
            let thread = (step / BURST) % THREADS as usize;
            if maker.step(thread).action == 0 {
                calls += 1;
                paths.insert((thread, maker.stacks[thread].clone()));
            }
        }
        paths.len() as f64 / calls as f64
    }

    #[test]
    fn shapes_match_their_descriptions() {
        let repeating = distinct_paths(CallShape::Repeating);
        assert!((0.02..0.3).contains(&repeating), "{repeating}");
        let all_new = distinct_paths(CallShape::AllNew);
        assert!(all_new > 0.95, "{all_new}");
    }
}
