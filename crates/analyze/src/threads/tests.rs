use traceloom_trace::{SchedSwitch, SchedTracker, TaskState, TraceBuilder};

use super::*;

const SLEEP: TaskState = TaskState::SLEEPING;

/// A hand-made trace. `idle` is each CPU's own idle thread.
struct Made {
    builder: TraceBuilder,
    sched: SchedTracker,
    idle: ThreadId,
}

impl Made {
    fn new() -> Self {
        let mut builder = TraceBuilder::new();
        let idle = builder.thread(0);
        Self {
            builder,
            sched: SchedTracker::default(),
            idle,
        }
    }

    fn switch(&mut self, ts: i64, cpu: u32, prev: (ThreadId, TaskState), next: ThreadId) {
        let switch = SchedSwitch {
            ts,
            cpu,
            prev: prev.0,
            prev_priority: 120,
            prev_state: prev.1,
            next,
            next_priority: 120,
            prev_is_idle: prev.0 == self.idle,
            next_is_idle: next == self.idle,
        };
        self.sched.switch(&mut self.builder, switch);
    }
}

/// Calculated by hand:
///
/// ```text
/// time     0        10     13        20     21      30     50       54       60      70
/// a        Running  S      R(b)      Running R+     Running D(io)   R(idle)  Running end
/// CPU      0                         1              1                        0
/// ```
fn made() -> (Trace, ThreadId, ThreadId, ThreadId) {
    let mut made = Made::new();
    let (a, b) = (made.builder.thread(1), made.builder.thread(2));
    let idle = made.idle;
    let function = made.builder.intern(b"folio_wait");
    made.switch(0, 0, (idle, TaskState::RUNNABLE), a);
    made.switch(10, 0, (a, SLEEP), b);
    made.sched.wake(&mut made.builder, 13, a, b);
    made.switch(20, 1, (idle, TaskState::RUNNABLE), a);
    made.switch(21, 1, (a, TaskState::PREEMPTED), b);
    made.switch(30, 1, (b, SLEEP), a);
    made.switch(50, 1, (a, TaskState::UNINTERRUPTIBLE), idle);
    made.sched.wake(&mut made.builder, 54, a, idle);
    made.sched
        .blocked_reason(&mut made.builder, a, true, function);
    made.switch(60, 0, (b, SLEEP), a);
    made.switch(70, 0, (a, TaskState::DEAD), idle);
    (made.builder.finish(), a, b, idle)
}

fn times(trace: &Trace, range: TimeRange, utid: ThreadId) -> ThreadTimes {
    let found = thread_times(trace, range, &|one| one == utid);
    found.into_iter().next().expect("the thread has states")
}

#[test]
fn the_times_of_a_trace_calculated_by_hand() {
    let (trace, a, b, idle) = made();
    let times = times(&trace, TimeRange::ALL, a);
    let states = [
        times.running_ns,
        times.runnable_ns,
        times.preempted_ns,
        times.sleeping_ns,
        times.blocked_ns,
        times.io_ns,
        times.other_ns,
    ];
    assert_eq!(states, [41, 22, 9, 3, 4, 4, 0]);
    // 0, 20, 30 and 60; from CPU 0 to 1, and back.
    assert_eq!((times.runs, times.migrations), (4, 2));
    assert_eq!(
        times.latency,
        Latency {
            wakeups: 2,
            total_ns: 13,
            median_ns: 6,
            p90_ns: 7,
            p99_ns: 7,
            worst_ns: 7,
            worst_at_ns: 13,
        }
    );
    let wakers: Vec<_> = times.wakers.iter().collect();
    let waker = |utid, waited_ns| Waker {
        utid,
        count: 1,
        waited_ns,
    };
    assert_eq!(wakers, [&waker(idle, 4), &waker(b, 3)]);
    let [blocked] = times.blocked_in[..] else {
        panic!("one function")
    };
    assert_eq!(trace.strings.get(blocked.function), "folio_wait");
    assert_eq!((blocked.is_io, blocked.count, blocked.ns), (true, 1, 4));
    let cpus: Vec<_> = times.cpus.iter().map(|one| (one.cpu, one.ns)).collect();
    assert_eq!(cpus, [(1, 21), (0, 20)]);
}

#[test]
fn the_parts_of_a_range_add_up() {
    let (trace, a, ..) = made();
    let whole = times(&trace, TimeRange::ALL, a);
    for cut in 1..70 {
        let part = |from_ns, to_ns| times(&trace, TimeRange { from_ns, to_ns }, a);
        let (first, second) = (part(0, cut), part(cut, 70));
        let sum = |of: fn(&ThreadTimes) -> i64| (of(&first) + of(&second), of(&whole));
        for (parts, all) in [
            sum(|one| one.running_ns),
            sum(|one| one.runnable_ns),
            sum(|one| one.preempted_ns),
            sum(|one| one.sleeping_ns),
            sum(|one| one.blocked_ns),
            sum(|one| one.runs as i64),
            sum(|one| one.migrations as i64),
            sum(|one| one.latency.wakeups as i64),
            sum(|one| one.cpus.iter().map(|cpu| cpu.ns).sum()),
        ] {
            assert_eq!(parts, all, "cut at {cut}");
        }
    }
}

#[test]
fn idle_threads_and_threads_without_states_are_left_out() {
    let (trace, a, b, _) = made();
    let found = thread_times(&trace, TimeRange::ALL, &|_| true);
    let utids: Vec<_> = found.iter().map(|one| one.utid).collect();
    assert_eq!(utids, [a, b]);
    let late = TimeRange {
        from_ns: 71,
        to_ns: 80,
    };
    assert!(thread_times(&trace, late, &|utid| utid == a).is_empty());
}
