//! Modules and flame graphs of samples. The expected answers were worked out by hand.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder, TrackType};

/// Three perf samples: `main > work` at 10 and 20, `main` at 30. At 10 and 30, a counter was also read.
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
fn shown(mut session: Session, sql: &str) -> Vec<String> {
    let rows = ask(&mut session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        _ => "-".to_owned(),
    };
    let row = |row: &Vec<Value>| row.iter().map(text).collect::<Vec<_>>().join(" ");
    rows.rows.iter().map(row).collect()
}

fn texts(sql: &str) -> Vec<String> {
    shown(session(), sql)
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

/// Two processes with samples of `main > work`, where `work` is inlined in `outer`, and of `main`; and a heap profile.
fn of_processes() -> Session {
    let mut out = TraceBuilder::new();
    let processes = [7, 8].map(|pid| {
        let (upid, utid) = (out.process(pid), out.thread(pid));
        out.set_thread_process(utid, upid);
        (upid, utid)
    });
    let [source, file, main, raw, work, outer, code] = [
        "linux.perf",
        "app.so",
        "main",
        "0x10",
        "work",
        "outer",
        "a.cc",
    ]
    .map(|text| ArgValue::Text(out.intern(text.as_bytes())));
    let mapping = out.record(NO_TIME, "stack_profile_mapping", &[("name", file)]);
    for (name, line) in [(work, 3), (outer, 9)] {
        let symbol = [
            ("symbol_set_id", ArgValue::Int(0)),
            ("name", name),
            ("source_file", code),
            ("line_number", ArgValue::Int(line)),
        ];
        out.record(NO_TIME, "stack_profile_symbol", &symbol);
    }
    let mut parent = ArgValue::Null;
    let sites = [(main, ArgValue::Null), (raw, ArgValue::Int(0))].map(|(name, symbols)| {
        let frame = [
            ("name", name),
            ("mapping", mapping.into()),
            ("symbol_set_id", symbols),
        ];
        let frame = out.record(NO_TIME, "stack_profile_frame", &frame);
        let site = [("parent_id", parent), ("frame_id", frame.into())];
        let site = out.record(NO_TIME, "stack_profile_callsite", &site);
        parent = site.into();
        site
    });
    for (ts, process, site) in [(10, 0, 1), (20, 0, 1), (30, 1, 0), (40, 0, 0)] {
        let task = [("utid", processes[process].1.into())];
        let task = out.record(NO_TIME, "__intrinsic_profiler_task_context", &task);
        let sample = [
            ("source", source),
            ("task_context_id", task.into()),
            ("callsite_id", sites[site].into()),
        ];
        out.record(ts, "__intrinsic_profiler_sample", &sample);
    }
    for (ts, site, count, size) in [(10, 1, 3, 300), (20, 1, -1, -100), (30, 0, 1, 5)] {
        let allocation = [
            ("upid", processes[0].0.into()),
            ("callsite_id", sites[site].into()),
            ("count", ArgValue::Int(count)),
            ("size", ArgValue::Int(size)),
        ];
        out.record(ts, "heap_profile_allocation", &allocation);
    }
    Session::open(out.finish(), Limits::default()).unwrap()
}

fn frames(columns: &str, arguments: &str) -> Vec<String> {
    let sql = format!("SELECT {columns} FROM experimental_flamegraph({arguments})");
    shown(of_processes(), &sql)
}

#[test]
fn a_flame_graph_of_samples_has_inlined_functions_and_conditions_on_time() {
    let columns = "id, ts, depth, name, map_name, count, cumulative_count, parent_id, line_number";
    let expected = [
        "0 30 0 main app.so 0 2 - -",
        "1 30 1 outer app.so 0 2 0 9",
        "2 20 2 work app.so 2 2 1 3",
    ];
    assert_eq!(
        frames(columns, "'perf', NULL, '<=30', 1, NULL, NULL"),
        expected
    );
    let columns = "name, count, cumulative_count";
    let both = ["main 1 2", "outer 0 1", "work 1 1"];
    assert_eq!(
        frames(columns, "'perf', NULL, '>10,<40', NULL, '1,2', NULL"),
        both
    );
    assert_eq!(
        frames(columns, "'perf', NULL, '>10,<40', NULL, '1,2', 'OUT'"),
        both
    );
    let second = ["main 1 1", "outer 0 0", "work 0 0"];
    assert_eq!(frames(columns, "'perf', NULL, '>0', 2, NULL, NULL"), second);
}

#[test]
fn a_flame_graph_of_a_heap_has_what_is_left_and_what_was_allocated() {
    let columns = "ts, name, count, size, cumulative_count, cumulative_size, alloc_count, alloc_size, \
                   cumulative_alloc_count, cumulative_alloc_size";
    let expected = [
        "20 main 0 0 2 200 0 0 3 300",
        "20 outer 0 0 2 200 0 0 3 300",
        "20 work 2 200 2 200 3 300 3 300",
    ];
    assert_eq!(
        frames(columns, "'native', 20, NULL, 1, NULL, NULL"),
        expected
    );
    assert!(frames(columns, "'native', 20, NULL, 2, NULL, NULL").is_empty());
}
