//! Compares answers about the profile with sums over single slices, and flame graphs with the
//! profile.

mod ask;

use std::collections::BTreeMap;

use ask::{ask, example};
use serde_json::{Value, json};
use testkit::Rng;
use traceloom_engine::Engine;
use traceloom_trace::{NO_DURATION, RowId, SliceId, Trace};

const EXAMPLES: [&str; 3] = ["app.trace", "linux.ftrace", "jank.ftrace.gz"];

/// Wall times of a name from adding up slices one by one: outermost, calls, recursive calls.
#[derive(Default, PartialEq, Debug)]
struct Naive {
    inclusive: i64,
    calls: u64,
    recursive: u64,
}

/// The name that identifies a slice's row in the profile, with its signature.
fn name(trace: &Trace, slice: SliceId) -> String {
    match trace.slices.method_id.get(slice.row()).some() {
        Some(method) => {
            let row = trace.methods.row(method.row());
            format!(
                "{}{}",
                trace.method_name(method),
                trace.strings.get(row.signature)
            )
        }
        None => trace.slice_name(slice),
    }
}

/// The end of a slice for the profile: an unfinished method ends with its thread.
fn end(trace: &Trace, slice: SliceId) -> i64 {
    let is_call = trace.slices.method_id.get(slice.row()).some().is_some();
    if trace.slices.dur.get(slice.row()) != NO_DURATION || !is_call {
        return trace.slice_end(slice);
    }
    let track = trace.slices.track_id.get(slice.row());
    let rows = trace.slices.rows().filter(|row| row.track_id == track);
    rows.map(|row| row.ts + row.dur.max(0)).max().unwrap()
}

/// A slice of a thread, with the data for its sums.
struct Flat {
    name: usize,
    begin: i64,
    end: i64,
    utid: u32,
    is_recursive: bool,
}

/// The slices of threads, and their names.
fn flat(trace: &Trace) -> (Vec<Flat>, Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let slices = (0..trace.slices.len()).map(SliceId::from_row);
    let name_of: Vec<usize> = slices
        .map(|slice| {
            *known.entry(name(trace, slice)).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            })
        })
        .collect();
    let mut flat = Vec::new();
    for row in trace.slices.spans() {
        let track = trace.tracks.row(trace.slices.track_id.get(row).row());
        if !track.kind.is_of_thread() {
            continue;
        }
        let mut above = trace.slices.parent_id.get(row).some();
        let mut is_recursive = false;
        while let Some(parent) = above {
            is_recursive |= name_of[parent.row()] == name_of[row];
            above = trace.slices.parent_id.get(parent.row()).some();
        }
        flat.push(Flat {
            name: name_of[row],
            begin: trace.slices.ts.get(row),
            end: end(trace, SliceId::from_row(row)),
            utid: track.utid.0,
            is_recursive,
        });
    }
    (flat, names)
}

fn naive(
    (slices, names): &(Vec<Flat>, Vec<String>),
    from: i64,
    to: i64,
    utid: Option<u32>,
) -> BTreeMap<String, Naive> {
    let mut sums: BTreeMap<String, Naive> = BTreeMap::new();
    for slice in slices {
        let overlaps = slice.begin < to && (slice.end > from || slice.begin >= from);
        if !overlaps || utid.is_some_and(|utid| utid != slice.utid) {
            continue;
        }
        let sum = sums.entry(names[slice.name].clone()).or_default();
        if slice.is_recursive {
            sum.recursive += 1
        } else {
            sum.calls += 1;
            sum.inclusive += (slice.end.min(to) - slice.begin.max(from)).max(0);
        }
    }
    sums
}

fn told(answer: &Value) -> BTreeMap<String, Naive> {
    let rows = answer["rows"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| {
        let name = text(&row["label"]) + &text(&row["signature"]);
        let naive = Naive {
            inclusive: row["inclusive"]["wall_ns"].as_i64().unwrap(),
            calls: row["calls"].as_u64().unwrap(),
            recursive: row["recursive_calls"].as_u64().unwrap(),
        };
        (name, naive)
    })
    .collect()
}

#[test]
fn random_ranges_add_up_like_slices_one_by_one() {
    let mut rng = Rng::new(7);
    for name in EXAMPLES {
        let engine = Engine::new(example(name));
        let trace = engine.trace();
        let slices = flat(trace);
        let (first, last) = trace.bounds;
        let length = (last - first) as u64;
        for round in 0..100 {
            let (one, other) = (rng.below(length + 1) as i64, rng.below(length + 1) as i64);
            let (from, to) = (one.min(other), one.max(other) + 1);
            let thread = (round % 3 == 0).then(|| rng.below(trace.threads.len() as u64) as u32);
            let mut question = json!({
                "op": "profile", "from": from, "to": to, "clock": "wall", "limit": 1_000_000,
            });
            if let Some(utid) = thread {
                question["threads"] = json!([utid]);
            }
            let answer = ask(&engine, &question).json;
            let to = if to >= last - first {
                i64::MAX
            } else {
                first + to
            };
            let from = if from == 0 { i64::MIN } else { first + from };
            let expected = naive(&slices, from.max(first), to.min(last + 1), thread);
            assert_eq!(told(&answer), expected, "{name} {question}");
        }
    }
}

fn flame(engine: &Engine, more: Value) -> (Value, Vec<BTreeMap<String, f64>>) {
    let mut question = json!({"op": "flame", "clock": "wall", "width_px": 1e12});
    for (key, value) in more.as_object().unwrap() {
        question[key] = value.clone();
    }
    let answer = ask(engine, &question);
    assert_eq!(answer.json["error"], Value::Null, "{question}");
    let count = answer.columns["x"].len();
    let frame = |at: usize| answer.columns.iter().map(move |(k, v)| (k.clone(), v[at]));
    let frames = (0..count).map(|at| frame(at).collect()).collect();
    (answer.json, frames)
}

fn by_label(json: &Value, frames: &[BTreeMap<String, f64>], key: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for frame in frames {
        let label = json["labels"][(frame["name"] as u32).to_string()]
            .as_str()
            .unwrap();
        *sums.entry(label.to_owned()).or_default() += frame[key];
    }
    sums
}

fn rows(engine: &Engine) -> Vec<Value> {
    let question = json!({"op": "profile", "clock": "wall", "limit": 1_000_000});
    ask(engine, &question).json["rows"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn a_flame_graph_holds_the_profile() {
    for name in EXAMPLES {
        let engine = Engine::new(example(name));
        let (json, frames) = flame(&engine, json!({}));
        let own = by_label(&json, &frames, "self");
        let mut expected: BTreeMap<String, f64> = BTreeMap::new();
        for row in rows(&engine) {
            let label = row["label"].as_str().unwrap().to_owned();
            *expected.entry(label).or_default() += row["exclusive"]["wall_ns"].as_f64().unwrap();
        }
        expected.retain(|label, own_ns| *own_ns > 0.0 || own.contains_key(label));
        assert_eq!(own, expected, "{name}");
        check_nesting(&frames, json["total_ns"].as_f64().unwrap());
    }
}

/// Bars are side by side inside their parent and, together with its exclusive time, fill it.
fn check_nesting(frames: &[BTreeMap<String, f64>], total_ns: f64) {
    let none = f64::from(u32::MAX);
    let mut filled: Vec<f64> = frames.iter().map(|frame| frame["self"]).collect();
    for (at, frame) in frames.iter().enumerate() {
        let (left, right) = match frame["parent"] {
            parent if parent == none => (0.0, total_ns),
            parent => {
                let below = &frames[parent as usize];
                assert!((parent as usize) < at && below["depth"] + 1.0 == frame["depth"]);
                filled[parent as usize] += frame["w"];
                (below["x"], below["x"] + below["w"])
            }
        };
        assert!(frame["x"] >= left && frame["x"] + frame["w"] <= right);
        if let Some(last) = at.checked_sub(1).map(|last| &frames[last]) {
            let same_level = last["depth"] == frame["depth"];
            assert!(!same_level || last["x"] + last["w"] <= frame["x"]);
        }
    }
    for (frame, filled) in frames.iter().zip(filled) {
        assert_eq!(frame["w"], filled);
    }
}

#[test]
fn the_sandwich_of_each_method_is_as_wide_as_its_inclusive_time() {
    for name in EXAMPLES {
        let engine = Engine::new(example(name));
        for row in rows(&engine).iter().take(60) {
            let inclusive = row["inclusive"]["wall_ns"].as_f64().unwrap();
            for direction in ["down", "up"] {
                let (json, frames) = flame(
                    &engine,
                    json!({"rank": row["rank"], "direction": direction}),
                );
                assert_eq!(json["total_ns"], inclusive, "{name} {row}");
                check_nesting(&frames, inclusive);
                if let Some(first) = frames.first() {
                    assert_eq!((first["depth"], first["w"]), (0.0, inclusive));
                }
            }
        }
    }
}

#[test]
fn a_screen_gets_what_it_can_show() {
    let engine = Engine::new(example("app.trace"));
    let (all, every) = flame(&engine, json!({}));
    let total = all["total_ns"].as_f64().unwrap();
    let (_, shown) = flame(&engine, json!({"width_px": 500}));
    assert!(shown.len() < every.len());
    let least = 0.5 * total / 500.0;
    assert!(shown.iter().all(|frame| frame["w"] >= least));
    // Every bar that is wide enough is present, at its position.
    let key = |frame: &BTreeMap<String, f64>| (frame["node"] as u32, frame["x"] as i64);
    let seen: Vec<_> = shown.iter().map(key).collect();
    for frame in every.iter().filter(|frame| frame["w"] >= least) {
        assert!(seen.contains(&key(frame)));
    }
    // After zooming in, there are the same bars, and more of them.
    let zoom = json!({"width_px": 500, "from_share": 0.25, "to_share": 0.5});
    let (_, zoomed) = flame(&engine, zoom);
    let (left, right) = (0.25 * total, 0.5 * total);
    let visible = |frame: &&BTreeMap<String, f64>| {
        frame["x"] < right && frame["x"] + frame["w"] > left && frame["w"] >= least / 4.0
    };
    let expected: Vec<_> = every.iter().filter(visible).map(key).collect();
    let zoomed: Vec<_> = zoomed.iter().filter(|f| f["name"] < 4e9).map(key).collect();
    assert_eq!(zoomed, expected);
}

#[test]
fn a_bar_can_become_the_whole() {
    let engine = Engine::new(example("app.trace"));
    let (_, every) = flame(&engine, json!({}));
    let widest = |depth: f64| every.iter().find(|frame| frame["depth"] == depth).unwrap();
    let bar = widest(3.0);
    let (json, frames) = flame(&engine, json!({"root": bar["node"] as u32}));
    assert_eq!(json["total_ns"], bar["w"]);
    assert_eq!(frames[0]["name"], bar["name"]);
    check_nesting(&frames, bar["w"]);
}

#[test]
fn the_tree_opens_row_by_row() {
    for name in EXAMPLES {
        let engine = Engine::new(example(name));
        for direction in ["top_down", "bottom_up"] {
            let question = |path: Value, depth: u32| {
                json!({"op": "tree", "direction": direction, "path": path, "max_depth": depth,
                       "max_children": 12, "clock": "wall"})
            };
            let whole = ask(&engine, &question(json!([]), 4)).json;
            let mut whole = whole["rows"].as_array().unwrap().clone();
            for row in whole.iter_mut().filter(|row| row["depth"] != 3) {
                row["hidden"] = json!(0);
            }
            let mut opened = Vec::new();
            open(&engine, &question, &mut Vec::new(), &mut opened);
            // At the end of the rows, both tell whether there are more below.
            assert_eq!(opened, whole, "{name} {direction}");
        }
    }
}

fn open(
    engine: &Engine,
    question: &dyn Fn(Value, u32) -> Value,
    path: &mut Vec<usize>,
    rows: &mut Vec<Value>,
) {
    let below = ask(engine, &question(json!(path), 1)).json;
    for (place, row) in below["rows"].as_array().unwrap().iter().enumerate() {
        let mut row = row.clone();
        if path.len() < 3 {
            row["hidden"] = json!(0);
        }
        rows.push(row);
        if path.len() < 3 {
            path.push(place);
            open(engine, question, path, rows);
            path.pop();
        }
    }
}

#[test]
fn the_number_of_transforms_is_limited() {
    let engine = Engine::new(example("app.trace"));
    let drop = json!({"kind": "drop", "name": "no such function"});
    let answer = |count: usize| {
        let transforms = vec![drop.clone(); count];
        ask(
            &engine,
            &json!({"op": "profile", "by": "method", "transforms": transforms}),
        )
        .json
    };
    assert_eq!(answer(64)["total"], answer(0)["total"]);
    assert_eq!(
        answer(65)["error"],
        "the question has 65 transforms; it may have up to 64"
    );
}

#[test]
fn questions_without_an_answer_say_why() {
    let engine = Engine::new(example("app.trace"));
    for (question, expected) in [
        (json!({"op": "profile", "by": "colour"}), "field \"by\""),
        (
            json!({"op": "profile", "clock": "runnable"}),
            "field \"clock\"",
        ),
        (json!({"op": "method", "rank": 0}), "rank 0 does not exist"),
        (
            json!({"op": "method", "rank": 99_999}),
            "rank 99999 does not exist",
        ),
        (json!({"op": "method"}), "field \"rank\""),
        (json!({"op": "tree", "path": [0, 77, 3]}), "field \"path\""),
        (
            json!({"op": "flame", "root": 4_000_000}),
            "root 4000000 does not exist",
        ),
        (json!({"op": "diff"}), "source 1 does not exist"),
    ] {
        let answer = ask(&engine, &question).json;
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(expected), "{question}: {error}");
    }
}
