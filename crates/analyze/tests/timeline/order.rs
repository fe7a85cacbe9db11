//! The order of rows.

use traceloom_analyze::SAMPLES;
use traceloom_analyze::timeline::{RowKind, Timeline, row_flags};
use traceloom_trace::{
    AsyncLanes, LaneKey, NO_TIME, SchedSwitch, SchedTracker, SliceBegin, TaskState, Trace,
    TraceBuilder, TrackType,
};

/// The rows as shown: indented, followed by their flags.
fn picture(trace: &Trace) -> String {
    let timeline = Timeline::new(trace);
    let rows = &timeline.rows.all;
    let mut out = String::new();
    for row in rows {
        let mut depth = 0;
        let mut up = row.parent;
        while let Some(parent) = rows.get(up as usize) {
            (depth, up) = (depth + 1, parent.parent);
        }
        let words = [
            (row_flags::MAIN, "main"),
            (row_flags::IDLE, "idle"),
            (row_flags::STATES, "states"),
            (row_flags::IMPORTANT, "important"),
            (row_flags::FOCUS, "focus"),
        ];
        let flags: Vec<&str> = words
            .iter()
            .filter(|(flag, _)| row.is(*flag))
            .map(|(_, word)| *word)
            .collect();
        let line = format!(
            "{:depth$}{} [{}] {:?} {} {}",
            "",
            row.name,
            row.note,
            row.kind,
            row.levels,
            flags.join(",")
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn name_thread(
    builder: &mut TraceBuilder,
    tid: i64,
    pid: i64,
    name: &str,
) -> traceloom_trace::ThreadId {
    let utid = builder.thread(tid);
    let name = builder.intern(name.as_bytes());
    builder.name_thread(utid, name);
    let upid = builder.put_in_process(utid, pid);
    if tid == pid {
        builder.name_process(upid, name);
    }
    utid
}

fn slice(
    builder: &mut TraceBuilder,
    utid: traceloom_trace::ThreadId,
    ts: i64,
    dur: i64,
    name: &str,
) {
    let track = builder.thread_track(utid);
    let name = builder.intern(name.as_bytes());
    builder.whole_slice(track, SliceBegin::named(ts, name), dur);
}

fn system_trace() -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("boot.html", "systrace");
    let server = name_thread(&mut builder, 500, 500, "system_server");
    let binder = name_thread(&mut builder, 501, 500, "Binder:500_1");
    let app = name_thread(&mut builder, 900, 900, "com.example.news");
    _ = name_thread(&mut builder, 901, 900, "Signal Catcher");
    let pool = name_thread(&mut builder, 902, 900, "pool-1");
    let render = name_thread(&mut builder, 903, 900, "RenderThread");
    let kworker = name_thread(&mut builder, 40, 40, "kworker/0:1");
    _ = name_thread(&mut builder, 777, 777, "com.example.asleep");
    let swapper = builder.thread(0);
    slice(&mut builder, server, 0, 900, "relayout");
    slice(&mut builder, binder, 0, 50, "call");
    slice(&mut builder, pool, 0, 700, "decode");
    slice(&mut builder, render, 10, 20, "DrawFrame");
    slice(&mut builder, app, 0, 100, "Choreographer#doFrame");
    slice(&mut builder, app, 200, 100, "Choreographer#doFrame");
    let upid = builder.process(900);
    let deliver = builder.intern(b"deliverInputEvent");
    let track = builder.process_track(TrackType::AtraceAsyncSlice, upid, deliver);
    let mut lanes = AsyncLanes::default();
    for (ts, cookie, begins) in [(0, 1, true), (4, 2, true), (9, 1, false), (12, 2, false)] {
        let key = LaneKey { track, cookie };
        if begins {
            lanes.begin(&mut builder, key, SliceBegin::named(ts, deliver));
        } else {
            lanes.end(&mut builder, key, ts);
        }
    }
    let [frequency, irq, memory, queued] =
        [&b"cpufreq"[..], b"irq", b"MemFree", b"queued"].map(|name| builder.intern(name));
    let track = builder.cpu_track(TrackType::CpuCounter, 0, frequency);
    builder.counter(track, 5, 1_000_000.0);
    let track = builder.cpu_track(TrackType::CpuSlice, 0, irq);
    builder.whole_slice(track, SliceBegin::named(7, irq), 1);
    let track = builder.global_track(TrackType::GlobalCounter, memory);
    builder.counter(track, 5, 4096.0);
    let track = builder.process_track(TrackType::AtraceCounter, upid, queued);
    builder.counter(track, 5, 1.0);
    let mut sched = SchedTracker::default();
    for (ts, prev, next) in [
        (0, swapper, app),
        (100, app, kworker),
        (110, kworker, swapper),
        (200, swapper, app),
    ] {
        let switch = SchedSwitch {
            ts,
            cpu: 0,
            prev,
            prev_priority: 120,
            prev_state: TaskState::SLEEPING,
            next,
            next_priority: 120,
            prev_is_idle: prev == swapper,
            next_is_idle: next == swapper,
        };
        sched.switch(&mut builder, switch);
    }
    builder.finish()
}

#[test]
fn the_app_in_focus_comes_first_and_the_idle_last() {
    insta::assert_snapshot!(picture(&system_trace()), @r"
    com.example.news [pid 900] Process 3 focus
     Frames [0 of 2 late] Frames 1 focus
     com.example.news [tid 900] Thread 1 main,states,focus
     RenderThread [tid 903] Thread 1 important,focus
     pool-1 [tid 902] Thread 1 focus
     deliverInputEvent [] Track 2 focus
     queued [] Counter 0 focus
     Signal Catcher [tid 901] Thread 0 idle,focus
    CPUs [] Group 0
     CPU 0 [] Cpu 0
      cpufreq [kHz] Counter 0
    system_server [pid 500] Process 2
     system_server [tid 500] Thread 1 main
     Binder:500_1 [tid 501] Thread 1
    Counters [] Group 0
     MemFree [] Counter 0
    Interrupts [] Group 0
     CPU 0 irq [] Interrupts 1
    Kernel threads [] Group 0
     kworker/0:1 [tid 40] Thread 0 main,states
     thread 0 [tid 0] Thread 0 idle
    com.example.asleep [pid 777] Process 0 idle
     com.example.asleep [tid 777] Thread 0 main,idle
    ");
}

#[test]
fn threads_of_a_method_trace_need_no_heading() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("app.trace", "method trace");
    for (tid, name, dur) in [
        (3, "pool", 900),
        (1, "main", 10),
        (2, "RenderThread", 20),
        (4, "Signal Catcher", 0),
    ] {
        let utid = builder.thread(tid);
        let id = builder.intern(name.as_bytes());
        builder.name_thread(utid, id);
        if dur > 0 {
            slice(&mut builder, utid, 0, dur, "work");
        }
    }
    let trace = builder.finish();
    insta::assert_snapshot!(picture(&trace), @r"
    main [tid 1] Thread 1 main
    RenderThread [tid 2] Thread 1 important
    pool [tid 3] Thread 1
    Signal Catcher [tid 4] Thread 0 idle
    ");
    let timeline = Timeline::new(&trace);
    assert!(
        timeline
            .rows
            .all
            .iter()
            .all(|row| row.kind == RowKind::Thread)
    );
}

#[test]
fn two_inputs_tell_of_one_process() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("run.html", "systrace");
    let utid = name_thread(&mut builder, 500, 500, "system_server");
    slice(&mut builder, utid, 0, 950, "relayout");
    let utid = name_thread(&mut builder, 900, 900, "com.example.news");
    slice(&mut builder, utid, 0, 1000, "Choreographer#doFrame");
    builder.begin_source("run.trace", "method trace");
    let utid = name_thread(&mut builder, 900, 900, "com.example.news");
    slice(&mut builder, utid, 0, 900, "work");
    let utid = builder.thread(7);
    slice(&mut builder, utid, 0, 900, "work");
    insta::assert_snapshot!(picture(&builder.finish()), @r"
    com.example.news [pid 900 · run.html] Process 1 focus
     Frames [0 of 1 late] Frames 1 focus
     com.example.news [tid 900] Thread 1 main,focus
    com.example.news [pid 900 · run.trace] Process 1
     com.example.news [tid 900] Thread 1 main
    system_server [pid 500 · run.html] Process 1
     system_server [tid 500] Thread 1 main
    Threads of unknown processes [run.trace] Group 0
     thread 7 [tid 7] Thread 1
    ");
}

/// The system server draws more frames than an app while windows move. Of apps with equally many
/// frames, the one with the longest frames is in focus.
#[test]
fn the_system_server_is_not_the_app_in_focus() {
    let mut builder = TraceBuilder::new();
    let server = name_thread(&mut builder, 500, 500, "system_server");
    let app = name_thread(&mut builder, 900, 900, "com.example.news");
    slice(&mut builder, app, 0, 10, "Choreographer#doFrame");
    let launcher = name_thread(&mut builder, 700, 700, "com.example.launcher");
    slice(&mut builder, launcher, 0, 9, "Choreographer#doFrame");
    for ts in [0, 20, 40] {
        slice(&mut builder, server, ts, 10, "Choreographer#doFrame");
    }
    let first = picture(&builder.finish());
    assert!(first.starts_with("com.example.news"), "{first}");
}

#[test]
fn an_empty_trace_has_no_rows() {
    assert_eq!(picture(&TraceBuilder::new().finish()), "");
}

#[test]
fn without_times_the_process_with_most_samples_comes_first() {
    let mut builder = TraceBuilder::new();
    for (pid, name, samples) in [(10, "first", 1), (20, "busiest", 3), (30, "second", 2)] {
        let utid = name_thread(&mut builder, pid, pid, name);
        let task = builder.record(NO_TIME, "tasks", &[("utid", utid.into())]);
        for ts in 0..samples {
            builder.record(ts, SAMPLES, &[("task_context_id", task.into())]);
        }
    }
    let timeline = Timeline::new(&builder.finish());
    let rows = timeline.rows.all.iter();
    let processes: Vec<&str> = rows
        .filter(|row| row.kind == RowKind::Process)
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(processes, ["busiest", "second", "first"]);
}
