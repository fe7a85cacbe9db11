//! Tests of tables of records: columns, filters, references, and the rows of a log and of samples.

use serde_json::{Value, json};
use traceloom_engine::Engine;
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use crate::frame::ask;

const LOG: &str = "__intrinsic_logs";

/// A log of three lines by two threads, which is not in order of time, and a sample of the second thread.
fn engine() -> Engine {
    let mut builder = TraceBuilder::new();
    builder.begin_source("a.pftrace", "perfetto");
    let (main, worker) = (builder.thread(10), builder.thread(11));
    let mut line = |ts, thread: traceloom_trace::ThreadId, level, text: &str| {
        let message = ArgValue::Text(builder.intern(text.as_bytes()));
        let cells = [
            ("utid", thread.into()),
            ("prio", ArgValue::Int(level)),
            ("msg", message),
        ];
        builder.record(ts, LOG, &cells);
    };
    line(1_300, main, 6, "Lost");
    line(1_000, worker, 3, "found");
    line(1_100, worker, 4, "lost and found");
    let task = builder.record(
        NO_TIME,
        "__intrinsic_profiler_task_context",
        &[("utid", worker.into())],
    );
    let cells = [("task_context_id", task.into())];
    builder.record(1_200, "__intrinsic_profiler_sample", &cells);
    Engine::new(builder.finish())
}

fn lines(engine: &Engine, more: Value) -> (Vec<u32>, u64) {
    let mut question =
        json!({"op": "records", "table": LOG, "numbers": ["prio", "utid"], "texts": ["msg"]});
    for (key, value) in more.as_object().unwrap() {
        question[key] = value.clone();
    }
    let answer = ask(engine, question);
    let total = answer.json["total"].as_u64().unwrap();
    (answer.ints("place"), total)
}

#[test]
fn names_may_have_any_characters() {
    let name = "a\"b\\\n";
    let answer = ask(
        &engine(),
        json!({"op": "records", "table": name, "numbers": [name], "texts": [name]}),
    );
    assert_eq!(answer.json["total"], 0);
}

#[test]
fn records_are_columns_in_order_of_time() {
    let engine = engine();
    let question =
        json!({"op": "records", "table": LOG, "numbers": ["prio", "absent"], "texts": ["msg"]});
    let answer = ask(&engine, question);
    assert_eq!(answer.floats("ts"), [0.0, 100.0, 300.0]);
    assert_eq!(answer.floats("prio"), [3.0, 4.0, 6.0]);
    assert!(answer.floats("absent").iter().all(|value| value.is_nan()));
    assert_eq!(answer.ints("msg"), [0, 1, 2]);
    let strings = json!(["found", "lost and found", "Lost"]);
    assert_eq!(answer.json["strings"], strings);
}

#[test]
fn filters_pass_texts_levels_threads_and_times() {
    let engine = engine();
    let worker = ask(
        &engine,
        json!({"op": "records", "table": LOG, "numbers": ["utid"]}),
    )
    .floats("utid")[0] as u32;
    for (filter, places) in [
        (json!({}), &[0, 1, 2][..]),
        (json!({"text": "lost"}), &[1, 2]),
        (json!({"text": "Lost"}), &[2]),
        (json!({"at_least": 4}), &[1, 2]),
        (json!({"from": 50, "to": 200}), &[1]),
        (json!({"threads": [worker]}), &[0, 1]),
        (json!({"text": "none"}), &[]),
    ] {
        let found = lines(&engine, filter.clone());
        assert_eq!(found, (places.to_vec(), places.len() as u64), "{filter}");
    }
    assert_eq!(
        lines(&engine, json!({"offset": 1, "limit": 1})),
        (vec![1], 3)
    );
    assert_eq!(lines(&engine, json!({"offset": 9})), (vec![], 3));
}

#[test]
fn references_name_the_place_in_the_other_table() {
    let question =
        json!({"op": "records", "table": "__intrinsic_profiler_sample", "references": true});
    let answer = ask(&engine(), question);
    assert_eq!(answer.json["keys"], json!(["task_context_id"]));
    let [of, key, to] = ["of", "key", "to"].map(|name| answer.ints(name));
    assert_eq!([of, key, to], [[0], [0], [0]]);
}

#[test]
fn a_log_has_a_row_and_samples_are_on_their_thread() {
    let engine = engine();
    let rows = ask(&engine, json!({"op": "rows"}));
    let kinds = rows.ints("kind");
    let log = kinds.iter().position(|kind| *kind == 9).unwrap();
    assert_eq!(rows.json["names"][log], "Android log");
    assert_eq!(
        (rows.floats("first")[log], rows.floats("last")[log]),
        (0.0, 300.0)
    );
    let has_events = |name: &str| {
        let names = rows.json["names"].as_array().unwrap();
        let row = names.iter().position(|own| own == name).unwrap();
        rows.ints("flags")[row] & 32 != 0
    };
    assert!(has_events("thread 11") && !has_events("thread 10"));
    let meta = ask(&engine, json!({"op": "meta"}));
    assert_eq!(meta.json["records"][LOG], 3);
}
