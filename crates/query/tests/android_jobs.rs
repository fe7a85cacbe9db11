//! Jobs that the system schedules for apps, as recorded in statsd atoms.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, TraceBuilder, TrackType};

/// An atom: the time, the number of the job, its state, and the reason why it stopped.
type Change = (i64, i64, &'static str, &'static str);

const CHANGES: &[Change] = &[
    (10, 1, "SCHEDULED", "UNKNOWN"),
    (20, 1, "STARTED", "UNKNOWN"),
    (30, 2, "STARTED", "UNKNOWN"),
    (45, 2, "CANCELLED", "CANCELLED"),
    (50, 1, "FINISHED", "SUCCESSFUL_FINISH"),
    (60, 2, "SCHEDULED", "TIMEOUT"),
    (70, 3, "STARTED", "UNKNOWN"),
    (80, 1, "STARTED", "UNKNOWN"),
    (90, 1, "STARTED", "UNKNOWN"),
];

fn session() -> Session {
    let mut out = TraceBuilder::new();
    let [atoms, atom] =
        ["Statsd Atoms", "scheduled_job_state_changed"].map(|text| out.intern(text.as_bytes()));
    let track = out.global_track(TrackType::StatsdAtoms, atoms);
    for (ts, job, state, reason) in CHANGES {
        let name = match job {
            1 => "@sync@com.app/.Sync",
            _ => "tag:com.other/.Work",
        };
        let mut text = |text: &str| ArgValue::Text(out.intern(text.as_bytes()));
        let (name, state) = (text(name), text(state));
        let reason = text(&format!("INTERNAL_STOP_REASON_{reason}"));
        let args = [
            ("job_name", name),
            ("attribution_node[0].uid", ArgValue::Int(10_000 + job)),
            ("job_id", ArgValue::Int(*job)),
            ("state", state),
            ("internal_stop_reason", reason),
            ("has_idle_constraint", ArgValue::Bool(*job == 1)),
        ];
        let args = args.map(|(key, value)| {
            let key = format!("scheduled_job_state_changed.{key}");
            (out.intern(key.as_bytes()), value)
        });
        let args = out.args(args);
        out.instant(track, *ts, atom, args);
    }
    Session::open(out.finish(), Limits::default()).unwrap()
}

/// The rows of a query, as text.
fn rows(sql: &str) -> Vec<String> {
    let sql = format!("INCLUDE PERFETTO MODULE android.job_scheduler_states; {sql}");
    let text = |value: &Value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let rows = ask(&mut session(), &sql).unwrap().rows;
    let row = |row: &Vec<Value>| row.iter().map(text).collect::<Vec<_>>().join(" ");
    rows.iter().map(row).collect()
}

#[test]
fn jobs_run_from_their_start_to_their_end() {
    let sql = "SELECT ts, dur, job_id, uid, package_name, job_namespace, has_idle_constraint, has_flex_constraint,
                 internal_stop_reason FROM android_job_scheduler_states ORDER BY ts";
    let expected = [
        "20 30 1 10001 com.app sync 1 0 INTERNAL_STOP_REASON_SUCCESSFUL_FINISH",
        "30 30 2 10002 tag:com.other .Work 0 0 INTERNAL_STOP_REASON_TIMEOUT",
    ];
    assert_eq!(rows(sql), expected);
}

#[test]
fn jobs_know_the_charger_and_the_screen() {
    let sql = "SELECT ts, dur, job_name, job_dur, charging_state, screen_state
               FROM android_job_scheduler_with_screen_charging_states ORDER BY ts";
    let expected = [
        "20 30 @sync@com.app/.Sync_1 30 Unknown Unknown",
        "30 30 tag:com.other/.Work_2 30 Unknown Unknown",
    ];
    assert_eq!(rows(sql), expected);
}
