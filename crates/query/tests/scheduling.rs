//! Modules of scheduling. The expected answers were worked out by hand.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{
    SchedSwitch, SchedTracker, SliceBegin, TaskState, ThreadId, TraceBuilder, WakeKind, WakeupRow,
};

/// ```text
/// time        10      20     25     40      50
/// thread 8    Running S      R      Running S     a slice from 12 to 45
/// thread 7            Running       S             wakes thread 8 at 25
/// ```
fn session() -> Session {
    let mut out = TraceBuilder::new();
    let [idle, waker, woken] = [0, 7, 8].map(|tid| out.thread(tid));
    let mut sched = SchedTracker::default();
    let mut switch = |out: &mut TraceBuilder, ts, prev: ThreadId, next: ThreadId| {
        let switch = SchedSwitch {
            ts,
            cpu: 0,
            prev,
            prev_priority: 120,
            prev_state: TaskState::SLEEPING,
            next,
            next_priority: 120,
            prev_is_idle: prev == idle,
            next_is_idle: next == idle,
        };
        sched.switch(out, switch);
        if ts == 20 {
            for (at, kind, irq_context) in [(25, WakeKind::Waking, 0), (26, WakeKind::Wakeup, 1)] {
                let row = WakeupRow {
                    ts: at,
                    kind,
                    cpu: 0,
                    waker_utid: waker,
                    utid: woken,
                    target_cpu: 0,
                    priority: 120,
                    irq_context,
                };
                out.wakeup(row);
            }
            sched.waking(out, 25, woken, waker);
        }
    };
    switch(&mut out, 10, idle, woken);
    switch(&mut out, 20, woken, waker);
    switch(&mut out, 40, waker, woken);
    switch(&mut out, 50, woken, idle);
    let track = out.thread_track(woken);
    let name = out.intern(b"work");
    out.whole_slice(track, SliceBegin::named(12, name), 33);
    Session::open(out.finish(), Limits::default()).unwrap()
}

/// The values of a result, as texts.
fn texts(sql: &str) -> Vec<String> {
    let rows = ask(&mut session(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    rows.rows
        .iter()
        .map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "))
        .collect()
}

/// The event on the CPU of the woken thread may come from an interrupt, but only the event that began to wake the
/// thread counts.
#[test]
fn a_thread_wakes_a_thread() {
    let sql = "SELECT ts, state, irq_context FROM thread_state WHERE irq_context IS NOT NULL";
    assert_eq!(texts(sql), ["25 R 0"]);
}

#[test]
fn slices_know_what_their_thread_did() {
    let sql = "INCLUDE PERFETTO MODULE slices.time_in_state;
        SELECT name, state, dur FROM thread_slice_time_in_state ORDER BY state";
    assert_eq!(texts(sql), ["work R 15", "work Running 13", "work S 5"]);
    let sql =
        "INCLUDE PERFETTO MODULE slices.cpu_time; SELECT name, cpu_time FROM thread_slice_cpu_time";
    assert_eq!(texts(sql), ["work 13"]);
}

#[test]
fn the_wait_before_a_thread_runs() {
    let sql = "INCLUDE PERFETTO MODULE sched.latency;
        SELECT state.ts, latency_dur, ready.ts, sched.ts FROM sched_latency_for_running_interval
        JOIN thread_state AS state ON state.id = thread_state_id JOIN thread_state AS ready ON ready.id = runnable_latency_id
        JOIN sched ON sched.id = sched_id WHERE latency_dur > 0";
    assert_eq!(texts(sql), ["40 15 25 40"]);
    let sql = "INCLUDE PERFETTO MODULE sched.runnable;
        SELECT running.ts, ready.ts, woken.ts FROM sched_previous_runnable_on_thread AS it
        JOIN thread_state AS running USING (id) JOIN thread_state AS ready ON ready.id = prev_runnable_id
        JOIN thread_state AS woken ON woken.id = prev_wakeup_runnable_id";
    assert_eq!(texts(sql), ["40 25 25"]);
}

#[test]
fn how_many_threads_run_and_wait() {
    let include = "INCLUDE PERFETTO MODULE sched.thread_level_parallelism;";
    let ready =
        format!("{include} SELECT ts, runnable_thread_count FROM sched_runnable_thread_count");
    assert_eq!(texts(&ready), ["25 1", "40 0"]);
    let active =
        format!("{include} SELECT ts, active_cpu_count FROM sched_active_cpu_count WHERE ts <= 50");
    assert_eq!(texts(&active), ["10 1", "20 1", "40 1", "50 0"]);
}

#[test]
fn threads_that_another_one_woke_are_ready() {
    let sql = "INCLUDE PERFETTO MODULE sched.thread_executing_span;
        SELECT ts, dur, state, is_irq, waker_id IS NOT NULL FROM _runnable_state";
    assert_eq!(texts(sql), ["25 15 R 0 1"]);
}

/// The letters of flags that are set together stand side by side, without the kernel's bar between them.
#[test]
fn a_state_of_several_flags() {
    let mut out = TraceBuilder::new();
    let [first, second] = [7, 8].map(|tid| out.thread(tid));
    let mut sched = SchedTracker::default();
    for (ts, prev, next) in [(10, first, second), (20, second, first)] {
        let switch = SchedSwitch {
            ts,
            cpu: 0,
            prev,
            prev_priority: 120,
            prev_state: TaskState::parse(b"D|K").unwrap(),
            next,
            next_priority: 120,
            prev_is_idle: false,
            next_is_idle: false,
        };
        sched.switch(&mut out, switch);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT end_state, state FROM sched JOIN thread_state USING (utid)
        WHERE end_state = 'DK' AND state = 'DK'";
    let rows = ask(&mut session, sql).unwrap().rows;
    let letters = || Value::Text("DK".into());
    assert_eq!(rows, [[letters(), letters()]]);
}
