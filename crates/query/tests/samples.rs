//! Modules of samples, on a trace that was worked out by hand.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder, TrackType};

/// Three samples of perf: `main > work` at 10 and 20, `main` at 30. At 10 and 30, a counter was read, too.
fn session() -> Session {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let [source, file, main, work, counter] =
        ["linux.perf", "app.so", "main", "work", "instructions"]
            .map(|text| out.intern(text.as_bytes()));
    let text = ArgValue::Text;
    let mapping = out.record(NO_TIME, "stack_profile_mapping", &[("name", text(file))]);
    let mut parent = ArgValue::Null;
    let sites = [main, work].map(|name| {
        let frame = [("name", text(name)), ("mapping", mapping.into())];
        let frame = out.record(NO_TIME, "stack_profile_frame", &frame);
        let site = [("parent_id", parent), ("frame_id", frame.into())];
        let site = out.record(NO_TIME, "stack_profile_callsite", &site);
        parent = site.into();
        site
    });
    let session = [("source", text(source))];
    let session = out.record(NO_TIME, "__intrinsic_profiler_session", &session);
    let task = [("utid", utid.into())];
    let task = out.record(NO_TIME, "__intrinsic_profiler_task_context", &task);
    let track = out.global_track(TrackType::GlobalCounter, counter);
    let of_session = [("track_id", track.into()), ("session_id", session.into())];
    out.record(NO_TIME, "_profiler_counter_track", &of_session);
    for (ts, site, set) in [(10, sites[1], 0), (20, sites[1], 1), (30, sites[0], 2)] {
        let sample = [
            ("source", text(source)),
            ("task_context_id", task.into()),
            ("callsite_id", site.into()),
            ("session_id", session.into()),
            ("counter_set_id", ArgValue::Int(set)),
        ];
        out.record(ts, "__intrinsic_profiler_sample", &sample);
        if set != 1 {
            out.counter(track, ts, ts as f64 * 100.0);
            let value = [
                ("counter_set_id", ArgValue::Int(set)),
                ("track_id", track.into()),
            ];
            out.record(ts, "_profiler_counter_value", &value);
        }
    }
    Session::open(out.finish(), Limits::default()).unwrap()
}

/// The values of a result, as texts.
fn texts(sql: &str) -> Vec<String> {
    let rows = ask(&mut session(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        _ => "-".to_owned(),
    };
    let row = |row: &Vec<Value>| row.iter().map(text).collect::<Vec<_>>().join(" ");
    rows.rows.iter().map(row).collect()
}

#[test]
fn the_call_tree_of_perf() {
    let sql = "INCLUDE PERFETTO MODULE linux.perf.samples;
        SELECT it.name, parent.name, it.mapping_name, it.self_count, it.cumulative_count
        FROM linux_perf_samples_summary_tree AS it LEFT JOIN linux_perf_samples_summary_tree AS parent
        ON parent.id = it.parent_id ORDER BY it.id";
    assert_eq!(texts(sql), ["main - app.so 1 3", "work main app.so 2 2"]);
}

#[test]
fn the_counters_of_samples() {
    let include = "INCLUDE PERFETTO MODULE linux.perf.counters;";
    let sql = "SELECT ts, utid, counter_value FROM linux_perf_sample_with_counters ORDER BY ts";
    assert_eq!(
        texts(&format!("{include}{sql}")),
        ["10 1 1000", "30 1 3000"]
    );
    let sql = "SELECT linux_perf_counter_for_sample(id, 'instructions'), linux_perf_counter_for_sample(id, 'cycles')
        FROM perf_sample ORDER BY ts";
    assert_eq!(
        texts(&format!("{include}{sql}")),
        ["1000 -", "- -", "3000 -"]
    );
}
