//! Bundles of kernel events as Android's recorder writes them: switches and wake-ups as columns, marks of apps as texts.

use super::{packet, push};
use crate::proto::Proto;
use crate::rng::Rng;

const CPUS: u64 = 8;

/// The threads of a CPU: their number, their process and their name.
const THREADS: &[(u64, u64, &str)] = &[
    (1412, 1412, "com.example.app"),
    (1437, 1412, "RenderThread"),
    (1440, 1412, "queued-work-loo"),
    (612, 612, "surfaceflinger"),
    (650, 612, "binder:612_2"),
    (231, 231, "mmc-cmdqd/0"),
    (25, 25, "ksoftirqd/2"),
    (980, 980, "system_server"),
    (1022, 980, "android.display"),
    (3107, 980, "binder:980_1F"),
];

/// The distance between the thread numbers of two CPUs: a kernel never runs a thread on two CPUs at
/// once.
const NUMBERS_OF_CPU: u64 = 4_000;

/// When the trace begins, ns.
const START: u64 = 5_000_000_000;

/// A Perfetto trace with about this number of kernel events: switches, wake-ups, marks and frequencies.
pub fn perfetto_kernel(events: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut cpus: [Cpu; CPUS as usize] = std::array::from_fn(|number| Cpu::new(number as u64));
    let mut out = Vec::with_capacity(events * 20);
    push(&mut out, process_tree());
    let mut made = 0;
    while made < events {
        for cpu in &mut cpus {
            push(&mut out, packet(1).message(1, cpu.bundle(&mut rng)));
            made += 2 * SWITCHES + MARKS;
        }
    }
    out
}

fn process_tree() -> Proto {
    let threads = (0..CPUS).flat_map(|cpu| {
        let number = move |number: &u64| number + cpu * NUMBERS_OF_CPU;
        let threads = THREADS.iter();
        threads.map(move |(tid, tgid, name)| (number(tid), number(tgid), name))
    });
    let tree = threads.fold(Proto::new(), |tree, (tid, tgid, name)| {
        if tid == tgid {
            let process = Proto::new().uint(1, tid).uint(2, 1).text(3, name);
            tree.message(1, process)
        } else {
            let thread = Proto::new().uint(1, tid).text(2, name).uint(3, tgid);
            tree.message(2, thread)
        }
    });
    packet(1).uint(8, START).message(2, tree)
}

/// Events of a bundle, of each kind.
const SWITCHES: usize = 60;
const MARKS: usize = 50;

/// A CPU with its own threads.
#[derive(Clone, Copy)]
struct Cpu {
    number: u64,
    /// The time of its last event, ns.
    now: u64,
    /// The thread that runs.
    current: usize,
    /// The threads that wait for a wake-up.
    sleeps: [bool; THREADS.len()],
    /// The number of open marks of each thread.
    open: [u32; THREADS.len()],
}

impl Cpu {
    fn new(number: u64) -> Self {
        Self {
            number,
            now: START,
            current: 0,
            sleeps: std::array::from_fn(|thread| thread != 0),
            open: [0; THREADS.len()],
        }
    }

    fn bundle(&mut self, rng: &mut Rng) -> Proto {
        let (start, before) = (self.now, self.current);
        let (sched, runs) = self.sched(rng);
        let mut bundle = Proto::new().uint(1, self.number);
        let mut ts = start;
        for _ in 0..MARKS {
            ts += rng.between(2_000, 60_000);
            let begun = runs.partition_point(|(since, _)| *since <= ts);
            let thread = begun.checked_sub(1).map_or(before, |run| runs[run].1);
            bundle = bundle.message(2, self.event(rng, ts, thread));
        }
        let last = runs.last().map_or(start, |(since, _)| *since);
        self.now = ts.max(last);
        bundle.message(4, sched)
    }

    /// Switches and wake-ups, and since when each thread runs.
    fn sched(&mut self, rng: &mut Rng) -> (Proto, Vec<(u64, usize)>) {
        let mut columns: [Vec<u64>; 11] = Default::default();
        let (mut ts, mut runs) = (self.now, Vec::new());
        let (mut switched, mut woke) = (0, 0);
        for _ in 0..SWITCHES {
            let step = rng.between(5_000, 45_000);
            let (waking, switch) = (ts + step / 2, ts + step);
            let next = (self.current + 1 + rng.index(THREADS.len() - 1)) % THREADS.len();
            let woken = self.wake(next);
            let state = u64::from(rng.chance(70));
            self.sleeps[self.current] = state != 0;
            // The first time is absolute, the others are distances.
            let row = [
                switch - switched,
                state,
                self.tid(next),
                120,
                next as u64,
                waking - woke,
                self.tid(woken),
                self.number,
                120,
                woken as u64,
                1,
            ];
            columns
                .iter_mut()
                .zip(row)
                .for_each(|(column, value)| column.push(value));
            (switched, woke, ts, self.current) = (switch, waking, switch, next);
            runs.push((switch, next));
        }
        (block(&columns), runs)
    }

    /// Wakes a thread; another one if that does not sleep.
    fn wake(&mut self, thread: usize) -> usize {
        let mut all = (thread..thread + THREADS.len()).map(|thread| thread % THREADS.len());
        let woken = all.find(|thread| self.sleeps[*thread]);
        let woken = woken.unwrap_or(thread);
        self.sleeps[woken] = false;
        woken
    }

    fn tid(&self, thread: usize) -> u64 {
        THREADS[thread].0 + self.number * NUMBERS_OF_CPU
    }

    fn event(&mut self, rng: &mut Rng, ts: u64, thread: usize) -> Proto {
        let event = Proto::new().uint(1, ts).uint(2, self.tid(thread));
        if rng.chance(6) {
            let frequency = 300_000 + 100_000 * rng.below(20);
            let state = Proto::new().uint(1, frequency).uint(2, self.number);
            return event.message(11, state);
        }
        let mark = self.mark(rng, thread);
        event.message(
            3,
            Proto::new().uint(1, 0xffff_ffff_8110_2030).text(2, &mark),
        )
    }

    fn mark(&mut self, rng: &mut Rng, thread: usize) -> String {
        let tgid = THREADS[thread].1 + self.number * NUMBERS_OF_CPU;
        let open = &mut self.open[thread];
        if rng.chance(8) {
            return format!("C|{tgid}|pending|{}\n", rng.below(9));
        }
        if *open > 0 && (*open > 12 || rng.chance(52)) {
            *open -= 1;
            return format!("E|{tgid}\n");
        }
        *open += 1;
        format!("B|{tgid}|traversal step {}\n", rng.below(300))
    }
}

/// A `CompactSched` with these columns: five of switches, six of wake-ups.
fn block(columns: &[Vec<u64>; 11]) -> Proto {
    let names = THREADS.iter();
    let names = names.fold(Proto::new(), |names, (_, _, name)| names.text(5, name));
    // The field numbers of the columns. Field 5 holds the names, which are written first.
    let numbers = [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12];
    let columns = numbers.into_iter().zip(columns);
    columns.fold(names, |sched, (number, column)| {
        sched.packed(number, column)
    })
}
