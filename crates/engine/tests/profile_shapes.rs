//! Unusual traces, and comparisons of two inputs.

mod ask;

use std::collections::BTreeMap;

use ask::{Answer, ask, example};
use serde_json::{Value, json};
use traceloom_engine::{Cancel, Engine};
use traceloom_trace::{SliceBegin, Trace, TraceBuilder};

/// Slices of one thread by name, start and end, for each input.
fn trace(inputs: &[&[(&str, i64, i64)]]) -> Trace {
    let mut builder = TraceBuilder::new();
    for (number, slices) in inputs.iter().enumerate() {
        builder.begin_source(&format!("run {number}"), "made");
        let utid = builder.thread(7);
        let track = builder.thread_track(utid);
        let mut events = Vec::new();
        for (name, from, to) in *slices {
            events.push((*from, Some(*name)));
            events.push((*to, None));
        }
        // At the same time, ends come before begins.
        events.sort_by_key(|(ts, name)| (*ts, name.is_some()));
        for (ts, name) in events {
            match name {
                Some(name) => {
                    let name = builder.intern(name.as_bytes());
                    builder.begin_slice(track, SliceBegin::named(ts, name));
                }
                None => {
                    builder.end_slice(track, ts, None);
                }
            }
        }
    }
    builder.finish()
}

/// Bars by path: their width and the value of `column`.
fn bars(answer: &Answer, column: &str) -> BTreeMap<String, (f64, f64)> {
    let columns = &answer.columns;
    let mut paths: Vec<String> = Vec::new();
    let mut bars = BTreeMap::new();
    for (at, &name) in columns["name"].iter().enumerate() {
        let name = (name as u32).to_string();
        let own = answer.json["labels"][&name].as_str().unwrap_or("…");
        let path = match paths.get(columns["parent"][at] as usize) {
            Some(below) => format!("{below};{own}"),
            None => own.to_owned(),
        };
        bars.insert(path.clone(), (columns["w"][at], columns[column][at]));
        paths.push(path);
    }
    bars
}

#[test]
fn two_inputs_are_compared_by_path() {
    let engine = Engine::new(trace(&[
        &[("draw", 0, 100), ("text", 10, 30), ("old", 40, 50)],
        &[("draw", 0, 160), ("text", 10, 90), ("new", 100, 120)],
    ]));
    let flame = ask(
        &engine,
        &json!({"op": "diff", "flame": true, "width_px": 1e6}),
    );
    let expected = [
        ("draw", (260.0, 60.0)),
        ("draw;new", (20.0, 20.0)),
        ("draw;old", (10.0, -10.0)),
        ("draw;text", (100.0, 60.0)),
    ];
    let expected: BTreeMap<String, (f64, f64)> =
        expected.map(|(path, bar)| (path.to_owned(), bar)).into();
    assert_eq!(bars(&flame, "delta"), expected);

    let rows = ask(&engine, &json!({"op": "diff", "metric": "exclusive"})).json;
    let row = |row: &Value| {
        let own = &row["exclusive"];
        (
            row["label"].as_str().unwrap().to_owned(),
            row["presence"].as_str().unwrap().to_owned(),
            own["base"].as_f64().unwrap(),
            own["new"].as_f64().unwrap(),
        )
    };
    let rows: Vec<_> = rows["rows"].as_array().unwrap().iter().map(row).collect();
    let expected = [
        ("text", "both", 20.0, 80.0),
        ("new", "new", 0.0, 20.0),
        ("draw", "both", 70.0, 60.0),
        ("old", "gone", 10.0, 0.0),
    ];
    let expected = expected
        .map(|(name, presence, base, new)| (name.to_owned(), presence.to_owned(), base, new));
    assert_eq!(rows, expected);
}

#[test]
fn runs_of_a_side_are_averaged() {
    let run = |end: i64| [("work", 0, end)];
    let engine = Engine::new(trace(&[&run(10), &run(30), &run(50)]));
    let question = json!({"op": "diff", "flame": true, "base": [0, 1], "new": [2]});
    let flame = ask(&engine, &question);
    assert_eq!(bars(&flame, "delta")["work"], (70.0, 30.0));
}

#[test]
fn narrow_siblings_become_one_gap() {
    let names: Vec<String> = (0..1_000).map(|n| format!("s{n}")).collect();
    let small = names
        .iter()
        .zip(0..)
        .map(|(name, n)| (&name[..], 10 * n, 10 * n + 9));
    let slices: Vec<_> = [("all", 0, 10_000)].into_iter().chain(small).collect();
    let engine = Engine::new(trace(&[&slices]));
    let flame = ask(&engine, &json!({"op": "flame", "width_px": 100}));
    let expected = [("all", (10_000.0, 1_000.0)), ("all;…", (9_000.0, 9_000.0))];
    let expected: BTreeMap<String, (f64, f64)> =
        expected.map(|(path, bar)| (path.to_owned(), bar)).into();
    assert_eq!(bars(&flame, "self"), expected);
    assert_eq!(flame.columns["calls"], [1.0, 1_000.0]);
}

#[test]
fn a_hundred_thousand_levels_are_drawn() {
    const LEVELS: i64 = 100_000;
    let names = ["a", "b", "c"];
    let slices: Vec<_> = (0..LEVELS)
        .map(|n| (names[n as usize % 3], n, 3 * LEVELS - n))
        .collect();
    let engine = Engine::new(trace(&[&slices]));
    let levels = LEVELS as usize;
    let flame = ask(&engine, &json!({"op": "flame", "width_px": 1e9}));
    assert_eq!(flame.columns["x"].len(), levels);
    let callers = json!({"op": "flame", "width_px": 1e9, "direction": "up", "rank": 3});
    assert_eq!(ask(&engine, &callers).columns["x"].len(), 3);
    let flame = ask(&engine, &json!({"op": "flame", "width_px": 1e9, "rank": 2}));
    assert_eq!(flame.columns["x"].len(), levels - 1);
    let tree = ask(&engine, &json!({"op": "tree", "path": vec![0; 5_000]})).json;
    assert_eq!(tree["rows"][0]["depth"], 5_000);
    assert_eq!(
        ask(&engine, &json!({"op": "method", "rank": 1})).json["error"],
        Value::Null
    );
    assert_eq!(
        ask(&engine, &json!({"op": "graph"})).json["error"],
        Value::Null
    );
}

#[test]
fn a_trace_without_slices_has_empty_answers() {
    let engine = Engine::new(TraceBuilder::new().finish());
    for op in ["profile", "flame", "tree", "ranks", "graph", "frames"] {
        let answer = ask(&engine, &json!({"op": op})).json;
        assert_eq!(answer["error"], Value::Null, "{op}");
    }
}

#[test]
fn what_nobody_waits_for_ends() {
    let engine = Engine::new(example("app.trace"));
    let cancel = Cancel::default();
    cancel.raise();
    for op in [
        "profile", "method", "flame", "tree", "ranks", "graph", "frames",
    ] {
        let answer = engine.answer(json!({"op": op}).to_string().as_bytes(), &cancel);
        let text = String::from_utf8_lossy(&answer).into_owned();
        assert!(text.contains("cancelled"), "{op}: {text}");
    }
}
