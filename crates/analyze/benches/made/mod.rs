//! Generated method traces, as records.

use testkit::Rng;
use traceloom_trace::{MethodAction, MethodEvent, MethodIndex, ThreadIndex};

/// The approximate number of records in a trace.
pub const RECORDS: usize = 4_000_000;
const METHODS: u64 = 5_000;

/// Writes records, four threads taking turns as in a real trace.
#[derive(Default)]
struct Recorder {
    records: Vec<MethodEvent>,
    now: i64,
}

impl Recorder {
    fn record(&mut self, thread: u32, method: u64, action: MethodAction) {
        self.now += 700;
        let (thread, method) = (ThreadIndex(thread), MethodIndex(method as u32));
        let record = MethodEvent::new(thread, method, action, self.now, self.now / 2, 0);
        self.records.push(record);
    }

    /// A burst of 20 calls, up to 6 deep, below two calls that make its path unique.
    fn burst(&mut self, thread: u32, number: u64) {
        let prefix = [number % METHODS, number / METHODS];
        let mut dice = Rng::new(number);
        let mut open = prefix.to_vec();
        prefix
            .iter()
            .for_each(|&m| self.record(thread, m, MethodAction::Enter));
        for _ in 0..18 {
            while open.len() > 2 && (open.len() > 7 || dice.below(3) == 0) {
                let method = open.pop().unwrap();
                self.record(thread, method, MethodAction::Exit);
            }
            open.push(dice.below(METHODS));
            self.record(thread, open[open.len() - 1], MethodAction::Enter);
        }
        while let Some(method) = open.pop() {
            self.record(thread, method, MethodAction::Exit);
        }
    }
}

/// Every path about five times. With `apart`, in random order, so that repetitions of a path are
/// far apart; otherwise consecutively, as in loops.
pub fn repeating(apart: bool) -> Vec<MethodEvent> {
    let mut recorder = Recorder::default();
    let bursts = RECORDS as u64 / 40 / 5;
    let mut order: Vec<u64> = (0..bursts * 5).map(|turn| turn / 5).collect();
    if apart {
        let mut dice = Rng::new(7);
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at as u64 + 1) as usize);
        }
    }
    for number in order {
        recorder.burst((number % 4) as u32, number);
    }
    recorder.records
}

/// A random walk up and down through methods that never repeats a path.
pub fn all_new() -> Vec<MethodEvent> {
    let mut recorder = Recorder::default();
    let mut dice = Rng::new(11);
    let mut open: Vec<Vec<u64>> = vec![Vec::new(); 4];
    while recorder.records.len() < RECORDS {
        let thread = (recorder.records.len() / 100 % 4) as u32;
        let stack = &mut open[thread as usize];
        if stack.len() < 8 || (stack.len() < 40 && dice.below(2) == 0) {
            stack.push(dice.below(METHODS));
            recorder.record(thread, stack[stack.len() - 1], MethodAction::Enter);
        } else {
            let method = stack.pop().unwrap();
            recorder.record(thread, method, MethodAction::Exit);
        }
    }
    recorder.records
}
