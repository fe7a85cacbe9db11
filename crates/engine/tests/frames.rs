//! Frames through the engine: the report, their rows, and the contents of a window.

mod ask;

use ask::{ask, example};
use serde_json::{Value, json};
use traceloom_engine::Engine;

fn texts(list: &Value, key: &str) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one[key].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_example_stutters_for_the_reasons_it_was_made_with() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let meta = ask(&engine, &json!({"op": "meta"})).json;
    assert_eq!(meta["has"]["frames"], true);
    assert_eq!(meta["vsync_ns"], 16_666_666);
    let report = ask(&engine, &json!({"op": "frames", "limit": 1_000})).json;
    assert_eq!(report["vsync_source"], "VSYNC-app");
    let apps = texts(&report["apps"], "label");
    assert_eq!(apps[..2], ["org.loom.reader", "ndroid.systemui"]);
    let held = |text: &str, least_ms: f64, key: &str| {
        let late = |frame: &&Value| frame["missed"].as_u64() > Some(0);
        let mut frames = report["worst"].as_array().unwrap().iter().filter(late);
        let is_it = |one: &Value| one["label"].as_str().unwrap().contains(text);
        let long = |one: &Value| one["ns"].as_f64().unwrap() > least_ms * 1e6;
        let of = |frame: &Value| frame[key].as_array().unwrap().clone();
        assert!(
            frames.any(|frame| of(frame).iter().any(|one| is_it(one) && long(one))),
            "{text}"
        );
    };
    held(
        "monitor contention with owner DiskCache-1",
        20.0,
        "blocked_on",
    );
    held("IPackageManager", 15.0, "blocked_on");
    held("GC: Wait For Completion Alloc", 15.0, "blocked_on");
    held("awaitLoadedLocked", 15.0, "blocked_on");
    held("inflate", 20.0, "top");
    held("linkProgram", 15.0, "top");
    let worst = report["worst"].as_array().unwrap();
    let runnable = |frame: &Value| frame["runnable_ns"].as_f64().unwrap();
    assert!(worst.iter().any(|frame| runnable(frame) > 10e6), "dex2oat");
}

/// The parts of a frame add up to its duration. The numbers of an app's frames add up to the app's
/// numbers.
#[test]
fn numbers_add_up() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let report = ask(&engine, &json!({"op": "frames", "limit": 1_000})).json;
    let frames = report["worst"].as_array().unwrap();
    for frame in frames {
        let parts = [
            "running_ns",
            "runnable_ns",
            "sleeping_ns",
            "uninterruptible_ns",
            "io_ns",
            "other_ns",
        ];
        let sum: i64 = parts.iter().map(|part| frame[part].as_i64().unwrap()).sum();
        assert_eq!(sum, frame["dur"].as_i64().unwrap(), "{frame}");
        assert_eq!(frame["other_ns"], 0, "the trace has every state");
    }
    for app in report["apps"].as_array().unwrap() {
        let own: Vec<&Value> = frames.iter().filter(|f| f["utid"] == app["utid"]).collect();
        assert_eq!(own.len() as u64, app["frames"].as_u64().unwrap());
        let late = own.iter().filter(|f| f["missed"].as_u64() > Some(0));
        assert_eq!(late.count() as u64, app["janky"].as_u64().unwrap());
        let worst = own.iter().map(|f| f["dur"].as_i64().unwrap()).max();
        assert_eq!(worst, app["worst_ns"].as_i64());
    }
}

#[test]
fn a_row_of_frames_shows_them() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let rows = ask(&engine, &json!({"op": "rows"}));
    let report = ask(&engine, &json!({"op": "frames", "limit": 1_000}));
    for (app, row) in report.json["apps"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&report.columns["app_row"])
    {
        let at = *row as usize;
        assert_eq!(rows.columns["kind"][at], 6.0);
        assert_eq!(rows.columns["utid"][at], app["utid"].as_f64().unwrap());
        let question = json!({"op": "window", "rows": [at], "from": 0, "to": 2e9, "px_ns": 1});
        let window = ask(&engine, &question);
        let shown = &window.columns;
        let own = report.json["worst"].as_array().unwrap().iter();
        let mut expected: Vec<[f64; 3]> = own
            .filter(|frame| frame["utid"] == app["utid"])
            .map(|frame| ["slice", "ts", "dur"].map(|key| frame[key].as_f64().unwrap()))
            .map(|[slice, ts, dur]| [slice, ts, ts + dur])
            .collect();
        expected.sort_by(|one, other| one[0].total_cmp(&other[0]));
        let count = shown["s_id"].len();
        let column = |at: usize| ["s_id", "s_ts", "s_end"].map(|name| shown[name][at]);
        let mut drawn: Vec<[f64; 3]> = (0..count).map(column).collect();
        drawn.sort_by(|one, other| one[0].total_cmp(&other[0]));
        assert_eq!(drawn, expected);
        let late = shown["s_flags"]
            .iter()
            .filter(|flags| **flags as u8 & 8 != 0);
        assert_eq!(late.count() as u64, app["janky"].as_u64().unwrap());
    }
}

#[test]
fn a_scope_narrows_the_frames() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let all = ask(&engine, &json!({"op": "frames", "limit": 0})).json;
    let app = &all["apps"][0];
    let question = json!({"op": "frames", "limit": 1_000, "process": app["upid"],
                          "from": 500e6, "to": 600e6});
    let some = ask(&engine, &question).json;
    assert_eq!(some["apps"].as_array().unwrap().len(), 1);
    for frame in some["worst"].as_array().unwrap() {
        let (ts, dur) = (
            frame["ts"].as_f64().unwrap(),
            frame["dur"].as_f64().unwrap(),
        );
        assert!(ts < 600e6 && ts + dur > 500e6);
    }
    assert!(some["apps"][0]["frames"].as_u64() < app["frames"].as_u64());
    let none = ask(
        &Engine::new(example("linux.ftrace")),
        &json!({"op": "frames"}),
    )
    .json;
    assert_eq!(none["apps"], json!([]));
}

/// Frames, Details and a thread state give the same reason for the same wait, with the same words
/// and colour.
#[test]
fn a_wait_has_one_reason() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let report = ask(&engine, &json!({"op": "frames", "limit": 1_000})).json;
    let mut seen = 0;
    for frame in report["worst"].as_array().unwrap() {
        let mut said = Vec::new();
        for id in ["slice", "render_slice"].map(|key| &frame[key]) {
            if *id != u32::MAX {
                let details = ask(&engine, &json!({"op": "slice", "id": id})).json;
                said.extend(details["states"]["blocked"].as_array().unwrap().clone());
            }
        }
        for wait in frame["blocked_on"].as_array().unwrap() {
            let keys = ["state", "colour", "function", "waker", "waker_utid", "text"];
            let is_same = |other: &&Value| keys.iter().all(|key| wait[key] == other[key]);
            assert!(
                said.iter().any(|other| is_same(&other)),
                "{wait} of {frame}"
            );
            assert_ne!(wait["waker"], "swapper");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} waits");
}

/// The row of frames, the list and the details of both slices give a frame the same length.
#[test]
fn a_frame_has_one_length() {
    let engine = Engine::new(example("jank.ftrace.gz"));
    let report = ask(&engine, &json!({"op": "frames", "limit": 40})).json;
    for frame in report["worst"].as_array().unwrap() {
        for id in ["slice", "render_slice"].map(|key| &frame[key]) {
            if *id != u32::MAX {
                let details = ask(&engine, &json!({"op": "slice", "id": id})).json;
                for key in ["dur", "ui_ns", "missed", "slice", "render_slice"] {
                    let [told, listed] = [&details["frame"][key], &frame[key]].map(Value::as_f64);
                    assert_eq!(told, listed, "{key} of {frame}");
                }
                assert_eq!(details["shown_ns"].as_f64(), details["dur"].as_f64());
            }
        }
    }
    let other = ask(&engine, &json!({"op": "find", "text": "inflate"}));
    let id = other.columns["slice"][0] as u32;
    let details = ask(&engine, &json!({"op": "slice", "id": id})).json;
    assert_eq!(details["frame"], Value::Null);
}
