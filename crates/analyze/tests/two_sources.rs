//! An app's own recording together with scheduler events: two sources, one thread.

use traceloom_analyze::timeline::Timeline;
use traceloom_analyze::{CallTree, Measure, NodeId, TimeRange, TreeOptions};
use traceloom_trace::{
    MethodId, MethodRow, RowId, SchedSwitch, SchedTracker, SliceBegin, SourceId, StringId,
    TaskState, ThreadId, Trace, TraceBuilder,
};

/// `outer` from 0 to 100 and `inner` in it from 20 to 60, on thread 7 of process 70.
fn app() -> Trace {
    let mut builder = TraceBuilder::new();
    let source = builder.begin_source("app", "ring");
    let utid = of_process(&mut builder, 70, 7);
    let track = builder.thread_track(utid);
    let [outer, inner] = ["outer", "inner"].map(|name| method(&mut builder, name, source));
    for (ts, method_id) in [(0, outer), (20, inner)] {
        builder.begin_slice(
            track,
            SliceBegin {
                method_id,
                ..SliceBegin::named(ts, StringId::NULL)
            },
        );
    }
    builder.end_slice(track, 60, None);
    builder.end_slice(track, 100, None);
    builder.finish()
}

fn method(builder: &mut TraceBuilder, name: &str, source: SourceId) -> MethodId {
    let name = builder.intern(name.as_bytes());
    let row = MethodRow {
        raw_id: 1,
        class: StringId::NULL,
        name,
        signature: StringId::NULL,
        file: StringId::NULL,
        line: -1,
        source,
    };
    builder.method(row)
}

fn of_process(builder: &mut TraceBuilder, pid: i64, tid: i64) -> ThreadId {
    let utid = builder.thread(tid);
    let upid = builder.process(pid);
    builder.set_thread_process(utid, upid);
    utid
}

/// Threads with these pids and tids run one after the other, from 10 on, for 30 each. Then the CPU
/// is idle.
fn system(threads: &[(i64, i64)]) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("system", "ftrace");
    let idle = builder.thread(0);
    let threads = threads.iter().map(|&(pid, tid)| {
        let utid = builder.new_thread(tid);
        let upid = builder.process(pid);
        builder.set_thread_process(utid, upid);
        utid
    });
    let order: Vec<_> = [idle]
        .into_iter()
        .chain(threads.collect::<Vec<_>>())
        .chain([idle])
        .collect();
    let mut sched = SchedTracker::default();
    for (nth, pair) in order.windows(2).enumerate() {
        let switch = SchedSwitch {
            ts: 10 + 30 * nth as i64,
            cpu: 0,
            prev: pair[0],
            prev_priority: 120,
            prev_state: TaskState::SLEEPING,
            next: pair[1],
            next_priority: 120,
            prev_is_idle: pair[0] == idle,
            next_is_idle: pair[1] == idle,
        };
        sched.switch(&mut builder, switch);
    }
    builder.finish()
}

/// CPU time of the thread, of `outer` and of `inner`.
fn running(trace: &Trace, range: Option<TimeRange>) -> [i64; 3] {
    let options = TreeOptions {
        range,
        ..TreeOptions::default()
    };
    let tree = CallTree::from_trace(trace, &options);
    assert_eq!(tree.threads.len(), 1);
    let root = tree.threads[0].root;
    [0, 1, 2].map(|below| tree.nodes.inclusive(NodeId(root.0 + below), Measure::Cpu))
}

fn both(threads: &[(i64, i64)]) -> Trace {
    let mut trace = app();
    trace.append(system(threads), 0);
    trace
}

#[test]
fn the_schedulers_thread_is_the_apps() {
    // It runs from 10 to 40. All of that is in `outer`, and the time from 20 on is also in `inner`.
    let trace = both(&[(70, 7)]);
    assert_eq!(running(&trace, None), [30, 30, 20]);
    let range = TimeRange {
        from_ns: 15,
        to_ns: 30,
    };
    assert_eq!(running(&trace, Some(range)), [15, 15, 10]);
    // The time line has the states on both rows, and each row knows the thread that has them.
    let timeline = Timeline::new(&trace);
    let with_tid_7 = (0..trace.threads.len()).filter(|row| trace.threads.tid.get(*row) == 7);
    let [app, system] = with_tid_7.map(ThreadId::from_row).collect::<Vec<_>>()[..] else {
        panic!("two rows")
    };
    assert_eq!(timeline.states_of(app), timeline.states_of(system));
    assert_eq!(timeline.who_has_states(app), system);
}

#[test]
fn a_number_alone_is_no_thread() {
    assert_eq!(
        running(&both(&[(71, 7)]), None),
        [0, 0, 0],
        "another process"
    );
    let reused = [(70, 7), (70, 7)];
    assert_eq!(running(&both(&reused), None), [0, 0, 0], "one of two");
}
