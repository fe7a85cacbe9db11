//! Bundles of kernel events as Android's recorder writes them: switches and wake-ups as columns, marks of apps as texts.

use super::{packet, push};
use crate::proto::Proto;
use crate::rng::Rng;

const CPUS: u64 = 8;

/// The threads: their number, their process and their name.
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

/// A Perfetto trace with about this number of kernel events: switches, wake-ups, marks and frequencies.
pub fn perfetto_kernel(events: usize, seed: u64) -> Vec<u8> {
    let mut maker = Maker {
        rng: Rng::new(seed),
        now: [5_000_000_000; CPUS as usize],
        open: [0; THREADS.len()],
        made: 0,
    };
    let mut out = Vec::with_capacity(events * 20);
    push(&mut out, process_tree());
    while maker.made < events {
        for cpu in 0..CPUS {
            push(&mut out, packet(1).message(1, maker.bundle(cpu)));
        }
    }
    out
}

fn process_tree() -> Proto {
    let tree = THREADS
        .iter()
        .fold(Proto::new(), |tree, (tid, tgid, name)| {
            if tid == tgid {
                let process = Proto::new().uint(1, *tid).uint(2, 1).text(3, name);
                tree.message(1, process)
            } else {
                let thread = Proto::new().uint(1, *tid).text(2, name).uint(3, *tgid);
                tree.message(2, thread)
            }
        });
    packet(1).uint(8, 5_000_000_000).message(2, tree)
}

struct Maker {
    rng: Rng,
    /// The time of each CPU's last event, ns.
    now: [u64; CPUS as usize],
    /// The number of open marks of each thread.
    open: [u32; THREADS.len()],
    made: usize,
}

/// Events of a bundle, of each kind.
const SWITCHES: usize = 60;
const MARKS: usize = 50;

impl Maker {
    fn bundle(&mut self, cpu: u64) -> Proto {
        let start = self.now[cpu as usize];
        let sched = self.sched(start);
        let mut bundle = Proto::new().uint(1, cpu);
        let mut ts = start;
        for _ in 0..MARKS {
            ts += self.rng.between(2_000, 60_000);
            bundle = bundle.message(2, self.event(ts, cpu));
        }
        self.made += 2 * SWITCHES + MARKS;
        self.now[cpu as usize] = ts.max(start + 3_000_000);
        bundle.message(4, sched)
    }

    /// Switches and wake-ups of a CPU.
    fn sched(&mut self, start: u64) -> Proto {
        let mut columns: [Vec<u64>; 11] = Default::default();
        for place in 0..SWITCHES {
            let first = if place == 0 { start } else { 0 };
            let step = self.rng.between(5_000, 45_000);
            let (next, woken) = (self.rng.index(THREADS.len()), self.rng.index(THREADS.len()));
            let state = if self.rng.chance(70) { 1 } else { 0 };
            let switch = [first + step, state, THREADS[next].0, 120, next as u64];
            let target = self.rng.below(CPUS);
            let waking = [
                first + step / 2,
                THREADS[woken].0,
                target,
                120,
                woken as u64,
                1,
            ];
            let row = switch.into_iter().chain(waking);
            columns
                .iter_mut()
                .zip(row)
                .for_each(|(column, value)| column.push(value));
        }
        let names = THREADS.iter();
        let names = names.fold(Proto::new(), |names, (_, _, name)| names.text(5, name));
        // The numbers of the columns; 5 are the names.
        let numbers = [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12];
        let columns = numbers.into_iter().zip(&columns);
        columns.fold(names, |sched, (number, column)| {
            sched.packed(number, column)
        })
    }

    fn event(&mut self, ts: u64, cpu: u64) -> Proto {
        let thread = self.rng.index(THREADS.len());
        let (tid, tgid, _) = THREADS[thread];
        let event = Proto::new().uint(1, ts).uint(2, tid);
        if self.rng.chance(6) {
            let frequency = 300_000 + 100_000 * self.rng.below(20);
            let state = Proto::new().uint(1, frequency).uint(2, cpu);
            return event.message(11, state);
        }
        let mark = self.mark(thread, tgid);
        event.message(
            3,
            Proto::new().uint(1, 0xffff_ffff_8110_2030).text(2, &mark),
        )
    }

    fn mark(&mut self, thread: usize, tgid: u64) -> String {
        let open = &mut self.open[thread];
        if self.rng.chance(8) {
            return format!("C|{tgid}|pending|{}\n", self.rng.below(9));
        }
        if *open > 0 && (*open > 12 || self.rng.chance(52)) {
            *open -= 1;
            return format!("E|{tgid}\n");
        }
        *open += 1;
        format!("B|{tgid}|traversal step {}\n", self.rng.below(300))
    }
}
