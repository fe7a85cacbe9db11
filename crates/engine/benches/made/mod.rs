//! A trace of any size: threads that call and return at random and take turns on eight CPUs.

use testkit::Rng;
use traceloom_trace::{
    SchedSwitch, SchedTracker, SliceBegin, StringId, TaskState, Trace, TraceBuilder,
};

const THREADS: i64 = 200;
const NAMES: u64 = 5_000;
/// The number of events of a thread before the next thread's turn.
const TURN: usize = 20;

/// A trace of about `slices` slices.
pub fn trace(slices: usize) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("made", "bench");
    let names: Vec<StringId> = (0..NAMES)
        .map(|n| builder.intern(format!("com.example.Class{}.method{n}", n % 400).as_bytes()))
        .collect();
    let idle = builder.thread(0);
    let threads: Vec<_> = (0..THREADS)
        .map(|n| {
            let utid = builder.thread(1000 + n);
            let name = builder.intern(format!("worker-{n}").as_bytes());
            builder.name_thread(utid, name);
            builder.put_in_process(utid, 1000 + n / 20 * 20);
            (utid, builder.thread_track(utid))
        })
        .collect();
    let (mut rng, mut sched) = (Rng::new(7), SchedTracker::default());
    let mut open = vec![0u32; threads.len()];
    let (mut ts, mut made, mut turn) = (1_000_000_000i64, 0, 0u32);
    while made < slices {
        let at = rng.below(THREADS as u64) as usize;
        let (utid, track) = threads[at];
        let cpu = turn % 8;
        turn += 1;
        for (prev, next) in [(idle, utid), (utid, idle)] {
            sched.switch(
                &mut builder,
                SchedSwitch {
                    ts,
                    cpu,
                    prev,
                    prev_priority: 120,
                    prev_state: TaskState::SLEEPING,
                    next,
                    next_priority: 120,
                    prev_is_idle: prev == idle,
                    next_is_idle: next == idle,
                },
            );
            for _ in 0..if next == idle { 0 } else { TURN } {
                ts += rng.below(2_000) as i64;
                if open[at] == 0 || (open[at] < 12 && rng.below(2) == 0) {
                    let name = names[(rng.below(NAMES) * rng.below(NAMES) / NAMES) as usize];
                    builder.begin_slice(track, SliceBegin::named(ts, name));
                    (open[at], made) = (open[at] + 1, made + 1);
                } else {
                    builder.end_slice(track, ts, None);
                    open[at] -= 1;
                }
            }
        }
    }
    builder.finish()
}
