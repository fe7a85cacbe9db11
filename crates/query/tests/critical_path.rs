//! Modules of critical paths and of the time in states, on a trace that was worked out by hand.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{SliceBegin, StringId, TaskState, ThreadId, ThreadStateRow, TraceBuilder};

/// ```text
/// time      0  2    5 6      10 12 13 15   20   25   30
/// C         R  Running....................................  wakes B at 5
/// B         S.......R Running.............S...............  wakes A at 10, has the slice "work" from 7 to 12
/// A         S................R  Running........|            has the slices "frame" from 3 to 24, "inner" from 13 to 15
/// D         Running, then R+ from 4 to 30
/// ```
fn session() -> Session {
    let mut out = TraceBuilder::new();
    let [a, b, c, d] = [1, 2, 3, 4].map(|tid| out.thread(100 + tid));
    for (utid, name) in [(a, "a"), (b, "b"), (c, "c")] {
        let name = out.intern(name.as_bytes());
        out.name_thread(utid, name);
    }
    let upid = out.put_in_process(a, 100);
    let app = out.intern(b"app");
    out.name_process(upid, app);
    let none = ThreadId::default();
    let states = [
        (c, 0, 2, TaskState::RUNNABLE, none),
        (b, 0, 5, TaskState::SLEEPING, none),
        (a, 0, 10, TaskState::SLEEPING, none),
        (d, 0, 4, TaskState::RUNNING, none),
        (c, 2, 28, TaskState::RUNNING, none),
        (
            d,
            4,
            26,
            TaskState(TaskState::RUNNABLE.0 | TaskState::PREEMPTED.0),
            none,
        ),
        (b, 5, 1, TaskState::RUNNABLE, c),
        (b, 6, 14, TaskState::RUNNING, none),
        (a, 10, 2, TaskState::RUNNABLE, b),
        (a, 12, 13, TaskState::RUNNING, none),
        (b, 20, -1, TaskState::SLEEPING, none),
    ];
    for (utid, ts, dur, state, waker_utid) in states {
        let runs = state == TaskState::RUNNING;
        out.thread_state(ThreadStateRow {
            ts,
            dur,
            utid,
            // Row 0 is the idle thread.
            cpu: if runs { utid.0 - 1 } else { u32::MAX },
            state,
            io_wait: -1,
            blocked_function: StringId::NULL,
            waker_utid,
        });
    }
    let [on_a, on_b] = [a, b].map(|utid| out.thread_track(utid));
    for (track, name, ts) in [(on_a, "frame", 3), (on_b, "work", 7), (on_a, "inner", 13)] {
        let name = out.intern(name.as_bytes());
        out.begin_slice(track, SliceBegin::named(ts, name));
    }
    for (track, ts) in [(on_b, 12), (on_a, 15), (on_a, 24)] {
        out.end_slice(track, ts, None);
    }
    let end = out.intern(b"end");
    let track = out.thread_track(c);
    out.whole_slice(track, SliceBegin::named(30, end), 0);
    Session::open(out.finish(), Limits::default()).unwrap()
}

fn texts(sql: &str) -> Vec<String> {
    let rows = ask(&mut session(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => format!("{other:?}"),
    };
    rows.rows
        .iter()
        .map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "))
        .collect()
}

const SPANS: &str = "INCLUDE PERFETTO MODULE sched.thread_executing_span;";

#[test]
fn a_span_begins_when_a_thread_is_woken() {
    let sql = format!(
        "{SPANS} SELECT thread.name, it.ts, it.dur, idle_state, idle_dur, waker.ts, prev_id
         FROM _wakeup_graph AS it JOIN thread USING (utid) LEFT JOIN thread_state AS waker ON waker.id = it.waker_id
         ORDER BY it.ts"
    );
    // The last state of b has no end, so its span ends with the state before.
    assert_eq!(
        texts(&sql),
        ["c 0 30 - - - -", "b 5 15 S 5 0 -", "a 10 15 S 10 5 -"]
    );
}

#[test]
fn a_thread_waits_for_those_that_wake_it() {
    let sql = |start: i64, dur: i64| {
        format!(
            "{SPANS} SELECT blocker.name, it.ts, it.dur FROM thread AS root,
               _thread_executing_span_critical_path(root.utid, {start}, {dur}) AS it
             JOIN thread AS blocker ON blocker.utid = it.utid WHERE root.name = 'a' ORDER BY it.ts"
        )
    };
    assert_eq!(texts(&sql(0, 30)), ["c 0 5", "b 5 5", "a 10 15"]);
    assert_eq!(texts(&sql(3, 4)), ["c 3 2", "b 5 2"]);
    assert!(texts(&sql(26, 3)).is_empty());
}

#[test]
fn stacks_show_who_is_waited_for() {
    let sql = "INCLUDE PERFETTO MODULE sched.thread_executing_span_with_slice;
        SELECT it.ts, it.dur, stack_depth, it.name FROM thread AS root,
          _thread_executing_span_critical_path_stack(root.utid, 6, 8) AS it
        WHERE root.name = 'a' AND it.name IS NOT NULL ORDER BY it.ts, stack_depth";
    let own = |ts: i64, dur: i64, state: &str| {
        [
            format!("{ts} {dur} 0 thread_state: {state}"),
            format!("{ts} {dur} 3 process_name: app"),
            format!("{ts} {dur} 4 thread_name: a"),
            format!("{ts} {dur} 5 frame"),
        ]
    };
    let blocking = |ts: i64, dur: i64| {
        [
            format!("{ts} {dur} 6 blocking thread_state: Running"),
            format!("{ts} {dur} 8 blocking thread_name: b"),
        ]
    };
    let mut expected = Vec::new();
    expected.extend(own(6, 1, "S"));
    expected.extend(blocking(6, 1));
    expected.push("6 1 11 cpu: 1".to_owned());
    expected.extend(own(7, 3, "S"));
    expected.extend(blocking(7, 3));
    expected.push("7 3 11 work".to_owned());
    expected.push("7 3 12 cpu: 1".to_owned());
    expected.extend(own(10, 2, "R"));
    expected.extend(own(12, 1, "Running"));
    expected.push("12 1 6 cpu: 0".to_owned());
    expected.extend(own(13, 1, "Running"));
    expected.push("13 1 6 inner".to_owned());
    expected.push("13 1 7 cpu: 0".to_owned());
    assert_eq!(texts(sql), expected);
    let sql = "INCLUDE PERFETTO MODULE sched.thread_executing_span_with_slice;
        SELECT instr(pprof, CAST('blocking thread_name: b' AS BLOB)) > 0, instr(pprof, CAST('title' AS BLOB)) > 0
        FROM thread AS root, _thread_executing_span_critical_path_graph('title', root.utid, 6, 8) WHERE root.name = 'a'";
    assert_eq!(texts(sql), ["1 1"]);
}

#[test]
fn states_add_up_to_the_time_of_a_thread() {
    let include = "INCLUDE PERFETTO MODULE sched.time_in_state;";
    let sql = format!(
        "{include} SELECT name, total_runtime, state, time_in_state, percentage_in_state
         FROM sched_time_in_state_for_thread JOIN thread USING (utid) WHERE name IN ('a', 'b') ORDER BY name, state"
    );
    let expected = [
        "a 25 R 2 8",
        "a 25 Running 13 52",
        "a 25 S 10 40",
        "b 30 R 1 3",
        "b 30 Running 14 46",
        "b 30 S 15 50",
    ];
    assert_eq!(texts(&sql), expected);
    let sql = format!(
        "{include} SELECT running, runnable, runnable_preempted, sleeping, uninterruptible_sleep, other
         FROM sched_percentage_of_time_in_state ORDER BY utid"
    );
    assert_eq!(
        texts(&sql),
        [
            "52 8 - 40 - -",
            "46 3 - 50 - -",
            "93 6 - - - -",
            "13 - 86 - - -"
        ]
    );
    let sql = format!(
        "{include} SELECT it.* FROM thread, sched_time_in_state_and_cpu_for_thread_in_interval(5, 8, utid) AS it
         WHERE name = 'a' ORDER BY state"
    );
    assert_eq!(texts(&sql), ["R - - - 2", "Running - 0 - 1", "S - - - 5"]);
}

#[test]
fn the_states_of_the_slices_within_a_slice() {
    let sql = "INCLUDE PERFETTO MODULE sched.thread_state_flattened;
        SELECT slice_name, sleeping, runnable, running, it.dur, it.depth
        FROM slice, _get_flattened_thread_state_aggregated(slice.id, NULL) AS it
        WHERE slice.name = 'frame' ORDER BY it.depth";
    // frame has 3-13 and 15-24 for itself.
    assert_eq!(texts(sql), ["frame 7 2 10 19 0", "inner - - 2 2 1"]);
}

#[test]
fn gaps_are_filled_in_each_group() {
    let data = "(WITH it(ts, dur, g, v) AS (VALUES (5, 5, 1, 'x'), (10, 2, 1, 'y'), (20, 10, 1, 'z'), (NULL, NULL, 2, NULL)) SELECT * FROM it)";
    let sql = |groups: &str, data: &str| {
        format!(
            "INCLUDE PERFETTO MODULE intervals.fill_gaps; SELECT * FROM _intervals_fill_gaps!({groups}, (v), {data}) ORDER BY 3, 1"
        )
    };
    let expected = [
        "0 5 1 -",
        "5 5 1 x",
        "10 2 1 y",
        "12 8 1 -",
        "20 10 1 z",
        "0 30 2 -",
    ];
    assert_eq!(texts(&sql("(g)", data)), expected);
    let nothing = format!("(SELECT * FROM {data} WHERE 0)");
    assert_eq!(texts(&sql("(g)", &nothing)), ["0 30 - -"]);
    let first = format!("(SELECT * FROM {data} WHERE g = 1)");
    let expected = ["0 5 - -", "5 5 - x", "10 2 - y", "12 8 - -", "20 10 - z"];
    assert_eq!(texts(&sql("(NULL)", &first)), expected);
}

#[test]
fn slices_around_others_have_the_rest_of_the_time() {
    let sql = "INCLUDE PERFETTO MODULE viz.slices;
        SELECT name, self_dur, self_count, simple_count FROM _viz_slice_ancestor_agg!(
          (SELECT id, dur FROM slice WHERE name = 'inner'), (SELECT id, parent_id, dur, name FROM slice)) ORDER BY name";
    assert_eq!(texts(sql), ["frame 19 0 1", "inner 2 1 1"]);
    let sql = "INCLUDE PERFETTO MODULE viz.slices; SELECT count(*) FROM _viz_slices_for_ui_table";
    assert_eq!(texts(sql), ["4"]);
}
