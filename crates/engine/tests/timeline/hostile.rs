//! Bad questions and hostile traces.

use serde_json::json;
use traceloom_engine::Engine;
use traceloom_trace::{SliceBegin, TraceBuilder};

use crate::frame::{ask, ask_any};
use crate::made::{app, engine};

#[test]
fn questions_that_have_no_answer() {
    let engine = engine();
    for question in [
        json!({"op": "slice", "id": 99}),
        json!({"op": "locate"}),
        json!({"op": "neighbour", "id": 0, "to": "heaven"}),
        json!({"op": "at", "row": 99, "ts": 0, "what": "state"}),
        json!({"op": "same", "name": 99}),
        json!({"op": "find", "text": "x", "mode": "regex"}),
        json!({"op": "window", "rows": [0], "from": 0, "to": "late", "px_ns": 1}),
    ] {
        assert!(
            ask_any(&engine, &question).json.contains_key("error"),
            "{question}"
        );
    }
    let odd = ask(
        &engine,
        json!({"op": "window", "rows": [0, 99], "from": 10, "to": -1e300, "px_ns": -3}),
    );
    assert_eq!(odd.ints("first_slice").len(), 3);
    assert_eq!(
        ask(&engine, json!({"op": "names", "ids": [4_000_000_000u32]})).texts("names"),
        [""]
    );
}

#[test]
fn clocks_at_the_end_of_time_and_no_trace_at_all() {
    let late = Engine::new(app(1 << 62));
    let early = engine();
    for question in [
        json!({"op": "range"}),
        json!({"op": "rows"}),
        json!({"op": "slice", "id": 1}),
    ] {
        assert_eq!(
            ask(&late, question.clone()).json,
            ask(&early, question).json
        );
    }
    let empty = Engine::new(TraceBuilder::new().finish());
    assert_eq!(
        ask(&empty, json!({"op": "meta"})).number("duration_ns"),
        0.0
    );
    assert!(ask(&empty, json!({"op": "rows"})).texts("names").is_empty());
    ask(&empty, json!({"op": "range"}));
    ask(&empty, json!({"op": "find", "text": "a"}));
    ask(
        &empty,
        json!({"op": "window", "rows": [], "from": 0, "to": 1, "px_ns": 1}),
    );
}

#[test]
fn huge_names_are_cut_and_hostile_ones_stay_text() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("<script>", "test");
    let huge = builder.intern("x".repeat(10_000_000).as_bytes());
    let utid = builder.thread(1);
    builder.name_thread(utid, huge);
    let track = builder.thread_track(utid);
    builder.whole_slice(track, SliceBegin::named(0, huge), 10);
    let engine = Engine::new(builder.finish());
    let rows = ask(&engine, json!({"op": "rows"}));
    assert_eq!(rows.texts("names")[0].chars().count(), 300);
    assert_eq!(
        ask(&engine, json!({"op": "names", "ids": [0]})).texts("names")[0]
            .chars()
            .count(),
        300
    );
    assert_eq!(
        ask(&engine, json!({"op": "slice", "id": 0})).json["label"]
            .as_str()
            .unwrap()
            .chars()
            .count(),
        10_000
    );
    assert_eq!(
        ask(&engine, json!({"op": "meta"})).json["title"],
        "<script>"
    );
}
