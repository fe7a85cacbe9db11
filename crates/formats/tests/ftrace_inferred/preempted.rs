//! Threads that were preempted.

use traceloom_trace::{RepairKind, TaskState};

use crate::{H_WAKES, LEAVES, PREEMPTED, RUNTIME, mark, read, runs, time_in};

/// The returning thread has run since the other thread was last seen, or for as long as its own running time says.
#[test]
fn a_preempted_thread_is_back_when_the_other_was_last_seen() {
    for (between, runs_of_b, runs_of_h) in [
        ("", ["0+100", "100+800?"], "100+0"),
        (&*mark(400, 0), ["0+100", "100+800?"], "100+0"),
        (H_WAKES, ["0+100", "150+750?"], "100+50"),
        (RUNTIME, ["0+100", "250+650?"], "100+150"),
        (
            &[H_WAKES, RUNTIME].concat(),
            ["0+100", "250+650?"],
            "100+150",
        ),
    ] {
        let trace = read(&[PREEMPTED, between, LEAVES].concat());
        assert_eq!(runs(&trace, 2), runs_of_b, "{between}");
        assert_eq!(runs(&trace, 3), [runs_of_h], "{between}");
        assert_eq!(trace.repairs.count(RepairKind::InferredSwitch), 1);
        assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 0);
        let [b, h] = [2, 3].map(|tid| time_in(&trace, tid, TaskState::RUNNING));
        assert_eq!(b + h, 900, "{between}");
        assert_eq!(time_in(&trace, 2, TaskState::RUNNABLE), h, "{between}");
    }
}

/// A thread is gone from its CPU if another thread wakes it there, or if it appears on another CPU.
#[test]
fn a_thread_that_is_elsewhere_has_left() {
    let wakes =
        " b-2 (    2) [000] d..2 1.000300: sched_waking: comm=h pid=3 prio=120 target_cpu=000\n";
    let trace = read(&[PREEMPTED, &mark(200, 0), wakes].concat());
    assert_eq!(runs(&trace, 2), ["0+100", "100+0?"], "open at the end");
    let trace = read(&[PREEMPTED, &mark(200, 0), wakes, LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["0+100", "100+800?"]);
    assert_eq!(time_in(&trace, 3, TaskState::RUNNING), 0);
    let comes = " <idle>-0 (-----) [001] d..2 1.000300: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=h next_pid=3 next_prio=120
 h-3 (    3) [001] d..2 1.000700: sched_switch: prev_comm=h prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
";
    let trace = read(&[PREEMPTED, &mark(200, 0), comes, LEAVES].concat());
    assert_eq!(runs(&trace, 2), ["0+100", "100+800?"]);
    assert_eq!(runs(&trace, 3), ["100+0", "300+400"]);
    assert_eq!(time_in(&trace, 3, TaskState::RUNNING), 400);
}
