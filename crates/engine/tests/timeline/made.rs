//! A hand-made trace for which every answer is known.

use serde_json::json;
use traceloom_engine::Engine;
use traceloom_trace::{
    ArgValue, FlowRow, NO_NUMBER, SchedSwitch, SchedTracker, SliceBegin, TaskState, ThreadId,
    Trace, TraceBuilder, TrackType,
};

use crate::frame::ask;

const IDLE: i64 = 0;

fn thread(builder: &mut TraceBuilder, tid: i64, pid: i64, name: &str) -> ThreadId {
    let utid = builder.thread(tid);
    let name = builder.intern(name.as_bytes());
    builder.name_thread(utid, name);
    if tid != IDLE {
        let upid = builder.put_in_process(utid, pid);
        if tid == pid {
            builder.name_process(upid, name);
        }
    }
    utid
}

/// ```text
/// time     0    100   200   300   400   500   600   700   800   900  1000
/// app      doFrame................................
///            measure...          draw.......                  never...
/// states   Running     blocked (D, in io_schedule)  Running  sleeping
/// server        reply..                 wakes the app at 350
/// ```
/// All times are relative to `origin`.
pub fn app(origin: i64) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("app.html", "systrace");
    let [idle, app, server] = [
        (IDLE, 0, "swapper"),
        (900, 900, "com.example"),
        (500, 500, "server"),
    ]
    .map(|(tid, pid, name)| thread(&mut builder, tid, pid, name));
    let mut sched = SchedTracker::default();
    let mut switch = |builder: &mut TraceBuilder, ts, cpu, prev, prev_state, next| {
        let switch = SchedSwitch {
            ts: origin + ts,
            cpu,
            prev,
            prev_priority: 120,
            prev_state,
            next,
            next_priority: 110,
            prev_is_idle: prev == idle,
            next_is_idle: next == idle,
        };
        assert!(sched.switch(builder, switch));
    };
    let (ready, asleep) = (TaskState::RUNNABLE, TaskState::SLEEPING);
    switch(&mut builder, 0, 0, idle, ready, app);
    switch(&mut builder, 90, 1, idle, ready, server);
    switch(&mut builder, 200, 0, app, TaskState::UNINTERRUPTIBLE, idle);
    sched.wake(&mut builder, origin + 350, app, server);
    let waiting = builder.intern(b"io_schedule");
    assert!(sched.blocked_reason(&mut builder, app, true, waiting));
    let mut switch = |builder: &mut TraceBuilder, ts, cpu, prev, prev_state, next| {
        let switch = SchedSwitch {
            ts: origin + ts,
            cpu,
            prev,
            prev_priority: 120,
            prev_state,
            next,
            next_priority: 110,
            prev_is_idle: prev == idle,
            next_is_idle: next == idle,
        };
        assert!(sched.switch(builder, switch));
    };
    switch(&mut builder, 400, 0, idle, ready, app);
    switch(&mut builder, 500, 1, server, asleep, idle);
    switch(&mut builder, 700, 0, app, asleep, idle);
    let names = [
        "Choreographer#doFrame 7",
        "measure",
        "draw",
        "reply",
        "never",
        "app",
        "queue",
        "tap",
    ];
    let [frame, measure, draw, reply, never, key, queue, tap] =
        names.map(|name| builder.intern(name.as_bytes()));
    let track = builder.thread_track(app);
    builder.begin_slice(track, SliceBegin::named(origin, frame));
    let call = builder.whole_slice(track, SliceBegin::named(origin + 50, measure), 150);
    let args = builder.args([(key, ArgValue::Int(7))]);
    builder.whole_slice(
        track,
        SliceBegin {
            arg_set_id: args,
            ..SliceBegin::named(origin + 400, draw)
        },
        200,
    );
    builder.end_slice(track, origin + 700, None);
    builder.begin_slice(track, SliceBegin::named(origin + 900, never));
    builder.instant(track, origin + 20, tap, args);
    let other = builder.thread_track(server);
    let answer = builder.whole_slice(other, SliceBegin::named(origin + 100, reply), 80);
    let binder = builder.intern(b"binder");
    builder.flow(FlowRow {
        slice_out: call,
        slice_in: answer,
        name: binder,
        trace_id: NO_NUMBER,
    });
    let upid = builder.process(900);
    let counter = builder.process_track(TrackType::AtraceCounter, upid, queue);
    for (ts, value) in [(100, 1.0), (300, 4.0), (1000, 2.0)] {
        builder.counter(counter, origin + ts, value);
    }
    // Slices are sorted by time at the end, and flows are renumbered with them.
    builder.finish()
}

pub fn engine() -> Engine {
    Engine::new(app(5_000))
}

/// The slice called `name`.
pub fn id(engine: &Engine, name: &str) -> u32 {
    let found = ask(engine, json!({"op": "find", "text": name, "mode": "exact"}));
    found.ints("slice")[0]
}

pub fn row(engine: &Engine, name: &str, kind: u32) -> usize {
    let rows = ask(engine, json!({"op": "rows"}));
    let kinds = rows.ints("kind");
    let is_it = |at: &usize| rows.texts("names")[*at] == name && kinds[*at] == kind;
    (0..kinds.len()).find(is_it).unwrap()
}
