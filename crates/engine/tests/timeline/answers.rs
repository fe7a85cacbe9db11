//! All answers about the hand-made trace.

use serde_json::{Value, json};

use crate::frame::ask;
use crate::made::{engine, id, row};

#[test]
fn meta_and_rows() {
    let engine = engine();
    let meta = ask(&engine, json!({"op": "meta"}));
    assert_eq!(meta.json["origin_ns"], "5000");
    assert_eq!(meta.number("duration_ns"), 1000.0);
    assert_eq!(
        meta.json["clocks"],
        json!({"wall": true, "cpu": "scheduler", "states": true})
    );
    assert_eq!(meta.json["repairs"][0]["kind"], "never_closed");
    let rows = ask(&engine, json!({"op": "rows"}));
    let names = [
        "com.example",
        "Frames",
        "com.example",
        "queue",
        "CPUs",
        "CPU 0",
        "CPU 1",
        "server",
    ];
    assert_eq!(rows.texts("names")[..8], names);
    assert_eq!(rows.ints("flags")[2], 1 | 4 | 16);
    assert_eq!(rows.floats("busy")[2], 500.0);
    assert_eq!((rows.floats("min")[3], rows.floats("max")[3]), (1.0, 4.0));
    assert!(rows.floats("min")[0].is_nan());
}

#[test]
fn a_slice_in_detail() {
    let engine = engine();
    let frame = ask(
        &engine,
        json!({"op": "slice", "id": id(&engine, "Choreographer#doFrame 7")}),
    );
    assert_eq!(frame.number("dur"), 700.0);
    assert_eq!(frame.number("self_ns"), 350.0);
    assert_eq!(frame.number("cpu_ns"), 500.0);
    assert_eq!(frame.number("cpu_self_ns"), 150.0);
    let states = &frame.json["states"];
    assert_eq!(states["running_ns"], 500);
    assert_eq!(states["io_ns"], 150);
    assert_eq!(states["runnable_ns"], 50);
    let wait = json!({"state": "waiting for I/O", "colour": "io", "function": "io_schedule", "waker": "server",
        "waker_utid": 3, "text": "waiting for I/O in io_schedule, woken by server", "ns": 150});
    assert_eq!(states["blocked"], json!([wait]));
    assert_eq!(frame.json["children"]["count"], 2);
    assert_eq!(frame.json["children"]["top"][0]["label"], "draw");
    let draw = ask(&engine, json!({"op": "slice", "id": id(&engine, "draw")}));
    assert_eq!(draw.json["args"], json!([["app", "7"]]));
    assert_eq!(draw.json["parents"][0]["label"], "Choreographer#doFrame 7");
    assert_eq!(draw.number("share_of_parent"), 200.0 / 700.0);
    assert_eq!(
        draw.json["occurrences"],
        json!({"count": 1, "total_ns": 200})
    );
    assert_eq!(draw.json["thread"]["tid"], 900);
    assert_eq!(draw.json["process"]["label"], "com.example");
    // Another slice of its thread never ended.
    let repairs = draw.json["repairs"].as_array();
    assert!(repairs.is_none_or(Vec::is_empty), "{repairs:?}");
    let never = ask(&engine, json!({"op": "slice", "id": id(&engine, "never")}));
    assert_eq!(never.json["never_ended"], true);
    assert_eq!((never.number("dur"), never.number("end")), (-1.0, 1000.0));
    assert_eq!(never.number("shown_ns"), 1000.0 - never.number("ts"));
    assert!(
        never.json["repairs"][0]
            .as_str()
            .unwrap()
            .starts_with("it never ended")
    );
}

#[test]
fn neighbours() {
    let engine = engine();
    let step = |from: &str, to: &str| {
        let answer = ask(
            &engine,
            json!({"op": "neighbour", "id": id(&engine, from), "to": to}),
        );
        answer
            .json
            .get("id")
            .and_then(Value::as_u64)
            .map(|id| id as u32)
    };
    assert_eq!(step("measure", "next"), Some(id(&engine, "draw")));
    assert_eq!(step("draw", "previous"), Some(id(&engine, "measure")));
    assert_eq!(step("draw", "next"), None);
    assert_eq!(
        step("Choreographer#doFrame 7", "child"),
        Some(id(&engine, "measure"))
    );
    assert_eq!(
        step("Choreographer#doFrame 7", "next"),
        Some(id(&engine, "never"))
    );
    assert_eq!(
        step("measure", "parent"),
        Some(id(&engine, "Choreographer#doFrame 7"))
    );
    assert_eq!(step("never", "parent"), None);
}

#[test]
fn a_window_of_several_rows() {
    let engine = engine();
    let rows = [
        row(&engine, "com.example", 2),
        row(&engine, "CPU 0", 3),
        row(&engine, "queue", 4),
    ];
    let window = ask(
        &engine,
        json!({"op": "window", "rows": rows, "from": 0, "to": 1000, "px_ns": 1}),
    );
    assert_eq!(window.ints("first_slice"), [0, 4, 4, 4]);
    assert_eq!(window.ints("s_level"), [0, 0, 1, 1]);
    assert_eq!(window.floats("s_ts"), [0.0, 900.0, 50.0, 400.0]);
    assert_eq!(window.floats("s_end"), [700.0, 1000.0, 200.0, 600.0]);
    assert_eq!(window.ints("s_flags"), [0, 1, 0, 0]);
    assert_eq!(window.ints("first_state"), [0, 5, 7, 7]);
    assert_eq!(window.ints("t_state"), [1, 6, 2, 1, 4, 1, 1]);
    assert_eq!(
        window.floats("t_ts"),
        [0.0, 200.0, 350.0, 400.0, 700.0, 0.0, 400.0]
    );
    assert_eq!(window.ints("t_who")[5..], [2, 2]);
    assert_eq!(window.ints("first_point"), [0, 0, 0, 2]);
    assert_eq!(window.floats("p_last"), [1.0, 4.0]);
    assert_eq!(window.ints("first_instant"), [0, 1, 1, 1]);
    // With half a microsecond per pixel, both calls are in the pixel of their frame and represent
    // more.
    let coarse = ask(
        &engine,
        json!({"op": "window", "rows": rows, "from": 0, "to": 1000, "px_ns": 1000, "max_level": 0}),
    );
    assert_eq!(coarse.ints("s_flags"), [2]);
}

#[test]
fn slices_of_names_that_the_page_found() {
    let engine = engine();
    let by_text = ask(
        &engine,
        json!({"op": "find", "text": "measure", "mode": "exact"}),
    );
    let names = by_text.ints("names");
    let none = engine.trace().strings.len() + 7;
    let by_name = ask(&engine, json!({"op": "find", "names": [names[0], none]}));
    assert_eq!(by_name.ints("slice"), by_text.ints("slice"));
    assert_eq!(by_name.ints("names"), names);
    assert_eq!(by_name.json["per_row"], by_text.json["per_row"]);
    assert_eq!(by_name.ints("rows"), [0u32; 0]);
}

#[test]
fn arrows() {
    let engine = engine();
    let flows = ask(
        &engine,
        json!({"op": "flows", "slice": id(&engine, "measure")}),
    );
    let flow = &flows.json["flows"][0];
    assert_eq!(
        (flow["kind"].as_str(), flow["from"]["label"].as_str()),
        (Some("binder"), Some("measure"))
    );
    assert_eq!(flow["to"]["slice"], id(&engine, "reply"));
    let flows = ask(
        &engine,
        json!({"op": "flows", "slice": id(&engine, "Choreographer#doFrame 7")}),
    );
    let wakeup = &flows.json["flows"][0];
    assert_eq!(
        (wakeup["kind"].as_str(), wakeup["from"]["label"].as_str()),
        (Some("wakeup"), Some("server"))
    );
    assert_eq!(
        (wakeup["to"]["ts"].as_f64(), wakeup["to"]["level"].as_u64()),
        (Some(350.0), Some(0))
    );
    for ts in [250, 360, 500] {
        let flows = ask(&engine, json!({"op": "flows", "utid": 2, "ts": ts}));
        assert_eq!(flows.json["flows"][0]["from"]["ts"], 350.0, "{ts}");
    }
    let flows = ask(&engine, json!({"op": "flows", "utid": 2, "ts": 50}));
    assert_eq!(flows.json["flows"], json!([]));
}

#[test]
fn moments() {
    let engine = engine();
    let at = |row: usize, ts: i64, what: &str| {
        ask(
            &engine,
            json!({"op": "at", "row": row, "ts": ts, "what": what}),
        )
        .json
    };
    let app = row(&engine, "com.example", 2);
    let wait = at(app, 250, "state");
    assert_eq!(
        (wait["label"].as_str(), wait["dur"].as_f64()),
        (Some("waiting for I/O"), Some(150.0))
    );
    assert_eq!(
        (
            wait["blocked_function"].as_str(),
            wait["ended_by"]["label"].as_str()
        ),
        (Some("io_schedule"), Some("server"))
    );
    assert_eq!(at(app, 360, "state")["waker"]["label"], "server");
    assert_eq!(at(app, 450, "state")["priority"], 110);
    let run = at(row(&engine, "CPU 0", 3), 10, "sched");
    assert_eq!(
        (run["thread"]["label"].as_str(), run["end_letters"].as_str()),
        (Some("com.example"), Some("D"))
    );
    let counter = at(row(&engine, "queue", 4), 500, "counter");
    assert_eq!(
        (
            counter["value"].as_f64(),
            counter["previous"]["value"].as_f64()
        ),
        (Some(4.0), Some(1.0))
    );
    assert_eq!(at(row(&engine, "queue", 4), 50, "counter")["none"], true);
    assert_eq!(at(app, 25, "instant")["label"], "tap");
}

#[test]
fn a_range_and_its_names() {
    let engine = engine();
    let range = ask(&engine, json!({"op": "range", "from": 100, "to": 500}));
    let named = |name: &str| {
        let rows = range.json["by_name"].as_array().unwrap();
        rows.iter()
            .find(|row| row["label"] == name)
            .unwrap()
            .clone()
    };
    let frame = named("Choreographer#doFrame 7");
    assert_eq!(
        (frame["total_ns"].as_i64(), frame["self_ns"].as_i64()),
        (Some(400), Some(200))
    );
    assert_eq!(named("draw")["max_ns"], 100);
    let app = &range.json["threads"][1];
    assert_eq!(
        (
            app["running_ns"].as_i64(),
            app["io_ns"].as_i64(),
            app["runnable_ns"].as_i64()
        ),
        (Some(200), Some(150), Some(50))
    );
    assert_eq!(
        (
            &range.json["cpus"][0]["busy_ns"],
            &range.json["cpus"][0]["percent"]
        ),
        (&json!(200), &json!(50.0))
    );
    let counter = &range.json["counters"][0];
    assert_eq!(
        (
            counter["min"].as_f64(),
            counter["last"].as_f64(),
            counter["mean"].as_f64()
        ),
        (Some(1.0), Some(4.0), Some(2.5))
    );
    let one = ask(&engine, json!({"op": "range", "threads": [3]}));
    assert_eq!(one.json["by_name"].as_array().unwrap().len(), 1);
    let same = ask(
        &engine,
        json!({"op": "same", "id": id(&engine, "draw"), "from": 0, "to": 500}),
    );
    assert_eq!(
        (same.number("count"), same.number("total_ns")),
        (1.0, 100.0)
    );
    let found = ask(&engine, json!({"op": "find", "text": "r"}));
    assert_eq!(found.number("total"), 5.0);
    assert!(
        found
            .ints("rows")
            .contains(&(row(&engine, "server", 2) as u32))
    );
}
