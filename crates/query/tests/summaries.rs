//! The modules that summarise a trace. The expected answers were worked out by hand.

mod systrace;

use systrace::{Line, answer, rows};
use traceloom_query::{Limits, Session};
use traceloom_trace::{ArgValue, TraceBuilder, TrackType};

const APP: &str = "app-900 (900)";

/// The app runs twice. It has two nested slices, a counter, and a thread about which nothing is known.
const LINES: &[Line<'_>] = &[
    (
        "<idle>-0 (-----)",
        1_000,
        "sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=900 next_prio=120",
    ),
    (APP, 1_100, "B|900|outer"),
    (APP, 1_200, "B|900|inner"),
    (APP, 1_300, "E|900"),
    (APP, 1_700, "E|900"),
    (
        APP,
        2_000,
        "sched_switch: prev_comm=app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120",
    ),
    (
        "<idle>-0 (-----)",
        3_000,
        "sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=900 next_prio=120",
    ),
    (
        APP,
        3_500,
        "sched_switch: prev_comm=app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120",
    ),
    (APP, 3_600, "C|900|size|7"),
];

#[test]
fn tracks_threads_and_processes() {
    let sql = "SELECT cnt, min_dur, max_dur, max_depth FROM _slice_track_summary";
    assert_eq!(
        answer(LINES, "viz.summary.slices", sql),
        ["2 100000 600000 1"]
    );
    let sql = "SELECT name FROM _counter_track_summary JOIN track USING (id) WHERE name = 'size'";
    assert_eq!(answer(LINES, "viz.summary.counters", sql), ["size"]);
    let sql = "SELECT tid, max_running_dur, sum_running_dur, running_count, slice_count, stack_sample_count
      FROM _thread_available_info_summary JOIN thread USING (utid)";
    assert_eq!(
        answer(LINES, "viz.summary.threads", sql),
        ["900 1000000 1500000 2 2 0"]
    );
    let sql = "SELECT pid, max_running_dur, running_count, thread_slice_count, process_slice_count, allocation_count
      FROM _process_available_info_summary JOIN process USING (upid)";
    assert_eq!(
        answer(LINES, "viz.summary.processes", sql),
        ["900 1000000 2 2 0 0"]
    );
}

#[test]
fn threads_and_their_processes() {
    let sql =
        "SELECT tid, thread_name, pid, process_name FROM _thread_with_process WHERE tid = 900";
    assert_eq!(
        answer(LINES, "std.thread.with_context", sql),
        ["900 app 900 app"]
    );
    let sql = "SELECT tid, is_kernel_thread FROM _threads_with_kernel_flag WHERE tid = 900";
    assert_eq!(answer(LINES, "viz.threads", sql), ["900 0"]);
}

#[test]
fn facts_about_the_trace() {
    let sql = "SELECT trace_id, length(trace_type) > 0, machines FROM _metadata_by_trace";
    assert_eq!(answer(LINES, "std.traceinfo.trace", sql).len(), 1);
    let sql =
        "SELECT count(*) = count(DISTINCT name) AND count(*) > 0 FROM _metadata_for_primary_scope";
    assert_eq!(
        answer(LINES, "std.traceinfo.metadata_for_primary_scope", sql),
        ["1"]
    );
}

/// The window 1 opens at 20 and closes at 50, 2 closes at 60, 3 opens at 70 until the statistics begin again at 90, and
/// 4 only changes.
#[test]
fn windows_on_large_screens() {
    let mut out = TraceBuilder::new();
    let name = out.intern(b"Statsd Atoms");
    let track = out.global_track(TrackType::GlobalSlice, name);
    let name = out.intern(b"desktop_mode_session_task_update");
    let keys = ["task_event", "instance_id", "uid", "session_id"].map(|key| {
        let key = format!("desktop_mode_session_task_update.{key}");
        out.intern(key.as_bytes())
    });
    let notes = [
        (0, "OTHER", 9),
        (20, "TASK_ADDED", 1),
        (30, "TASK_INFO_CHANGED", 4),
        (50, "TASK_REMOVED", 1),
        (60, "TASK_REMOVED", 2),
        (70, "TASK_ADDED", 3),
        (90, "TASK_INIT_STATSD", 0),
        (100, "OTHER", 9),
    ];
    for (ts, event, window) in notes {
        let event = ArgValue::Text(out.intern(event.as_bytes()));
        let values = [
            event,
            ArgValue::Int(window),
            ArgValue::Int(10_000 + window),
            ArgValue::Int(5),
        ];
        let args = out.args(keys.into_iter().zip(values));
        out.instant(track, ts, name, args);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "INCLUDE PERFETTO MODULE android.desktop_mode; SELECT * FROM android_desktop_mode_windows ORDER BY instance_id";
    let expected = [
        "20 50 20 30 1 10001",
        "- 60 0 60 2 10002",
        "70 - 70 20 3 10003",
        "- - 0 100 4 10004",
    ];
    assert_eq!(rows(&mut session, sql).unwrap(), expected);
}

#[test]
fn the_log_of_systemd() {
    let mut out = TraceBuilder::new();
    let [key, unit, source, message, other] = [
        "systemd_unit",
        "cron.service",
        "systemd_journald",
        "ready",
        "android",
    ]
    .map(|text| out.intern(text.as_bytes()));
    let text = ArgValue::Text;
    let args = out.args([(key, text(unit))]);
    for source in [source, other] {
        let cells = [
            ("log_source", text(source)),
            ("msg", text(message)),
            ("prio", ArgValue::Int(6)),
            ("arg_set_id", args.into()),
        ];
        out.record(7, "__intrinsic_logs", &cells);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "INCLUDE PERFETTO MODULE linux.systemd_journald;
      SELECT ts, prio, msg, systemd_unit, uid FROM linux_systemd_journald_logs";
    assert_eq!(
        rows(&mut session, sql).unwrap(),
        ["7 6 ready cron.service -"]
    );
}
