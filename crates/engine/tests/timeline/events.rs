//! Tests of kernel events that have no table of their own: the timeline rows, the event list, and single events.

use std::fmt::Write as _;

use serde_json::json;
use traceloom_engine::Engine;
use traceloom_formats::{ReadOptions, read_bytes};

use crate::frame::ask;

const EVENTS: usize = 3_000;

/// The output of the function tracer: no slices, no states; two threads, two CPUs.
fn function_trace() -> Engine {
    let mut text = String::from("# tracer: function\n#\n");
    for at in 0..EVENTS {
        let (tid, cpu, name) = (at % 2 + 7, at % 3 / 2, ["do_idle", "vfs_read"][at % 5 / 4]);
        let ts = 1_000_000 + at * at % 900_000;
        let (seconds, micros) = (ts / 1_000_000, ts % 1_000_000);
        writeln!(
            text,
            " task-{tid} ({tid}) [{cpu:03}] .... {seconds}.{micros:06}: {name}_event: nr={at} tag={name}"
        )
        .unwrap();
    }
    Engine::new(read_bytes(text.as_bytes(), ReadOptions::default()).unwrap())
}

/// The rows of a kind: 2 threads, 3 CPUs.
fn rows_of(engine: &Engine, kind: u32) -> Vec<usize> {
    let rows = ask(engine, json!({"op": "rows"}));
    let kinds = rows.ints("kind").into_iter().enumerate();
    kinds
        .filter(|(_, of)| *of == kind)
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn events_are_on_the_rows_of_their_threads_and_cpus() {
    let engine = function_trace();
    let flags = ask(&engine, json!({"op": "rows"})).ints("flags");
    let meta = ask(&engine, json!({"op": "meta"}));
    assert_eq!(meta.json["counts"]["ftrace_events"], EVENTS);
    assert_eq!(meta.json["counts"]["slices"], 0);
    let end = meta.number("duration_ns");
    for kind in [2, 3] {
        let rows = rows_of(&engine, kind);
        assert_eq!(rows.len(), 2, "kind {kind}");
        assert!(rows.iter().all(|row| flags[*row] & 34 == 32));
        for pixels in [1.0, 7.0, 800.0, 65_536.0] {
            let window = ask(
                &engine,
                json!({"op": "window", "rows": rows, "from": 0, "to": end + 1.0, "px_ns": (end + 1.0) / pixels}),
            );
            let counts: u32 = window.ints("e_count").iter().sum();
            assert_eq!(counts as usize, EVENTS, "kind {kind}, {pixels} pixels");
            let first = window.ints("first_event");
            assert_eq!(first.len(), 3);
            let most = first.windows(2).map(|pair| pair[1] - pair[0]).max();
            assert!(most.unwrap() as f64 <= pixels + 1.0, "{pixels} pixels");
            assert!(
                window
                    .floats("e_ts")
                    .iter()
                    .all(|ts| (0.0..=end).contains(ts))
            );
        }
    }
}

#[test]
fn a_part_of_the_time_shows_its_events_alone() {
    let engine = function_trace();
    let rows = rows_of(&engine, 2);
    let within = ask(
        &engine,
        json!({"op": "events", "from": 1e8, "to": 3e8, "limit": 0}),
    );
    let part = ask(
        &engine,
        json!({"op": "window", "rows": rows, "from": 1e8, "to": 3e8, "px_ns": 1e5}),
    );
    assert_eq!(
        part.ints("e_count").iter().sum::<u32>(),
        within.json["total"]
    );
    assert!(within.json["total"].as_u64() > Some(100));
}

#[test]
fn an_event_in_detail() {
    let engine = function_trace();
    let row = rows_of(&engine, 3)[0];
    let near = ask(
        &engine,
        json!({"op": "at", "row": row, "ts": 5e8, "what": "event"}),
    );
    assert_eq!(near.json["cpu"], 0);
    assert_eq!(near.json["thread"]["label"], "task");
    assert_eq!(near.json["args"][0][0], "nr");
    let id = &near.json["id"];
    let same = ask(
        &engine,
        json!({"op": "at", "row": row, "ts": 0, "what": "event", "id": id}),
    );
    assert_eq!(same.json["args"], near.json["args"]);
    let unknown = json!({"op": "at", "row": row, "ts": 5e8, "what": "event", "id": u32::MAX});
    assert_eq!(ask(&engine, unknown).json["id"], *id);
}

#[test]
fn the_list_is_narrowed_and_paged() {
    let engine = function_trace();
    let list = |more: serde_json::Value| {
        let mut question = json!({"op": "events"});
        let (fields, more) = (question.as_object_mut().unwrap(), more.as_object().unwrap());
        fields.extend(more.clone());
        ask(&engine, question).json
    };
    let all = list(json!({}));
    assert_eq!(
        (&all["total"], &all["keys"]),
        (&json!(EVENTS), &json!(["nr", "tag"]))
    );
    assert_eq!(all["events"].as_array().unwrap().len(), 1_000);
    let names = ask(&engine, json!({"op": "event_names"})).json;
    assert_eq!(names["names"][0]["label"], "do_idle_event");
    let reads = list(json!({"text": "VFS", "limit": 1}));
    assert_eq!(reads["total"], 0);
    let reads = list(json!({"text": "vfs", "limit": 1}));
    assert_eq!(
        (&reads["total"], &names["names"][1]["count"]),
        (&json!(600), &json!(600))
    );
    assert_eq!(reads["events"][0]["values"][1], "vfs_read");
    assert_eq!(list(json!({"cpu": 1}))["total"], EVENTS / 3);
    assert_eq!(list(json!({"cpu": 9}))["total"], 0);
    let utid = &all["events"][0]["utid"];
    assert_eq!(list(json!({"threads": [utid]}))["total"], EVENTS / 2);
    assert_eq!(list(json!({"from": 1e8, "to": 1e8}))["total"], 0);
    // Consecutive pages fit together, in all lists.
    for narrow in [
        json!({}),
        json!({"threads": [utid]}),
        json!({"from": 2e8, "to": 6e8}),
    ] {
        let page = |offset: u64, limit: u64| {
            let mut question = narrow.clone();
            question["offset"] = offset.into();
            question["limit"] = limit.into();
            list(question)["events"].clone()
        };
        let (both, second) = (page(0, 60), page(30, 30));
        assert_eq!(
            both.as_array().unwrap()[30..],
            second.as_array().unwrap()[..]
        );
        let mut question = narrow.clone();
        question["id"] = second[3]["id"].clone();
        assert_eq!(list(question)["place"], 33);
    }
    let far = list(json!({"offset": u32::MAX, "limit": u32::MAX}));
    assert_eq!(
        (&far["total"], &far["events"]),
        (&json!(EVENTS), &json!([]))
    );
}
