//! Random traces.

use proptest::prelude::*;
use traceloom_trace::{
    MethodId, MethodRow, RowId, SchedSwitch, SchedTracker, SliceBegin, StringId, TaskState, Trace,
    TraceBuilder, TrackId, TrackType,
};

/// The next event: thread, action, name, and time since the previous event.
pub type Step = (usize, u8, u8, i64);

/// Random steps. With `back`, time sometimes steps back.
pub fn steps(back: bool, most: usize) -> impl Strategy<Value = Vec<Step>> {
    let least = if back { -20i64 } else { 0 };
    proptest::collection::vec((0..3usize, 0..20u8, 0..5u8, least..40i64), 0..most)
}

/// Threads that begin and end slices, run and sleep; a process track whose slices never nest; a
/// counter and instants. Steps without a time difference create slices of length zero. Slices that
/// are open at the end never end.
pub fn trace_of(steps: &[Step], methods: bool, origin: i64) -> Trace {
    let mut builder = TraceBuilder::new();
    let source = builder.begin_source("made", "test");
    let threads: Vec<_> = (0..3).map(|tid| builder.thread(tid + 10)).collect();
    let waker = builder.thread(99);
    let tracks: Vec<TrackId> = threads
        .iter()
        .map(|&utid| builder.thread_track(utid))
        .collect();
    let upid = builder.put_in_process(threads[0], 10);
    let value = builder.intern(b"queue");
    let counter = builder.process_track(TrackType::AtraceCounter, upid, value);
    let names: Vec<StringId> = (0..5)
        .map(|n| builder.intern(format!("n{n}").as_bytes()))
        .collect();
    if methods {
        for (n, &name) in names.iter().enumerate() {
            let class = builder.intern(format!("p.C{}", n % 2).as_bytes());
            builder.method(MethodRow {
                raw_id: n as u64,
                class,
                name,
                signature: StringId::NULL,
                file: StringId::NULL,
                line: -1,
                source,
            });
        }
    }
    let begin = |ts: i64, name: u8| {
        if methods {
            SliceBegin::call(ts, -1, MethodId::from_row(name.into()))
        } else {
            SliceBegin::named(ts, names[usize::from(name)])
        }
    };
    let mut sched = SchedTracker::default();
    let mut ts = origin;
    for &(thread, what, name, later) in steps {
        ts = ts.saturating_add(later);
        let (track, utid) = (tracks[thread], threads[thread]);
        match what {
            0..8 => _ = builder.begin_slice(track, begin(ts, name)),
            8..14 => _ = builder.end_slice(track, ts, None),
            14 => builder.counter(counter, ts, f64::from(name)),
            15 => _ = builder.instant(track, ts, names[usize::from(name)], Default::default()),
            16 => sched.wake(&mut builder, ts, utid, waker),
            _ => {
                let to = if name == 0 { waker } else { utid };
                let from = sched.running(0).unwrap_or(waker);
                let switch = SchedSwitch {
                    ts,
                    cpu: 0,
                    prev: from,
                    prev_priority: 120,
                    prev_state: [TaskState::SLEEPING, TaskState::RUNNABLE][usize::from(name % 2)],
                    next: to,
                    next_priority: 120,
                    prev_is_idle: false,
                    next_is_idle: false,
                };
                sched.switch(&mut builder, switch);
            }
        }
    }
    builder.finish()
}
