//! The path of a wait: answers worked out by hand, and a check that its parts cover the time
//! without gaps.

use traceloom_analyze::timeline::{StateKind, Timeline};
use traceloom_trace::{ThreadId, Trace};

/// `app` waits for `render` from 2 to 9 ms, `render` for the disk from 4 to 7 ms, and for a CPU, which `other` has, until 8 ms.
const TRACE: &str = "\
# tracer: nop
#
     app-10 (10) [000] .... 1.001000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=10 next_prio=120
     app-10 (10) [000] .... 1.002000: sched_switch: prev_comm=app prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
  render-11 (10) [001] .... 1.002000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=render next_pid=11 next_prio=120
  render-11 (10) [001] .... 1.004000: sched_switch: prev_comm=render prev_pid=11 prev_prio=120 prev_state=D ==> next_comm=other next_pid=12 next_prio=120
  <idle>-0 (-----) [000] d.h. 1.007000: sched_waking: comm=render pid=11 prio=120 target_cpu=001
   other-12 (12) [001] .... 1.008000: sched_switch: prev_comm=other prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=render next_pid=11 next_prio=120
  render-11 (10) [001] .... 1.009000: sched_waking: comm=app pid=10 prio=120 target_cpu=000
  <idle>-0 (-----) [000] .... 1.009500: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=10 next_prio=120
     app-10 (10) [000] .... 1.010000: sched_switch: prev_comm=app prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
";

fn thread(trace: &Trace, tid: i64) -> ThreadId {
    let mut threads = trace.real_threads();
    threads
        .find(|utid| trace.threads.tid.get(utid.0 as usize) == tid)
        .unwrap()
}

#[test]
fn a_wait_is_followed_to_the_disk_and_to_the_thread_that_had_the_cpu() {
    use StateKind::{Runnable, Running, Uninterruptible};
    let options = traceloom_formats::ReadOptions::default();
    let trace = traceloom_formats::read_bytes(TRACE.as_bytes(), options).unwrap();
    let timeline = Timeline::new(&trace);
    let [app, render, other] = [10, 11, 12].map(|tid| thread(&trace, tid));
    let ms = |at: i64| 1_000_000_000 + at * 100_000;
    let why = timeline.why(&trace, app, ms(10), ms(100));
    let parts = why.parts.iter();
    let parts: Vec<_> = parts
        .map(|part| (part.ts, part.end, part.utid, part.state, part.depth))
        .collect();
    assert_eq!(
        parts,
        [
            (ms(10), ms(20), app, Running, 0),
            (ms(20), ms(40), render, Running, 1),
            (ms(40), ms(70), render, Uninterruptible, 1),
            (ms(70), ms(80), render, Runnable, 1),
            (ms(80), ms(90), render, Running, 1),
            (ms(90), ms(95), app, Runnable, 0),
            (ms(95), ms(100), app, Running, 0),
        ]
    );
    assert!(!why.is_cut);
    assert_eq!(why.parts[3].held_by, other);
    let reason = why.parts[2].why.unwrap().text(&trace);
    assert_eq!(reason.text, "uninterruptible, woken by an interrupt");
}

#[test]
fn the_parts_cover_any_time_without_gaps() {
    let path = testkit::workspace_root().join("examples/jank.ftrace.gz");
    let bytes = std::fs::read(path).unwrap();
    let options = traceloom_formats::ReadOptions::default();
    let trace = traceloom_formats::read_bytes(&bytes, options).unwrap();
    let timeline = Timeline::new(&trace);
    let (first, last) = trace.bounds;
    for utid in trace.real_threads() {
        for (from, to) in [
            (first, last),
            (first - 5, first + 5),
            (last - 9_000_000, last),
        ] {
            let why = timeline.why(&trace, utid, from, to);
            let mut end = from;
            for part in &why.parts {
                assert!(part.ts == end && part.end > end, "{part:?}");
                end = part.end;
            }
            assert!(end == to || why.is_cut);
        }
    }
}
