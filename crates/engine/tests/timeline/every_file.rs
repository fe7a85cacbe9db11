//! Every question on every file: nothing panics, and the properties of all answers hold.

use std::path::Path;

use serde_json::json;
use testkit::{Corpus, READ_CATEGORIES, Rng, workspace_root};
use traceloom_engine::{Cancel, Engine};
use traceloom_formats::{ReadOptions, read_bytes};

use crate::frame::{Answer, ask};
use crate::preview;

#[test]
fn examples() {
    for name in ["app.trace", "linux.ftrace", "linux.html"] {
        check(&workspace_root().join("examples").join(name));
    }
}

#[test]
fn real_files() {
    let Some(corpus) = Corpus::find() else {
        return;
    };
    let files = corpus.files(READ_CATEGORIES);
    let checked = files.iter().filter(|file| check(&file.path)).count();
    eprintln!("{checked} real traces checked");
}

fn check(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap();
    let Ok(trace) = read_bytes(&bytes, ReadOptions::default()) else {
        return false;
    };
    let engine = Engine::new(trace);
    let meta = ask(&engine, json!({"op": "meta"}));
    let rows = ask(&engine, json!({"op": "rows"}));
    if std::env::var_os("TRACELOOM_SHOW").is_some() {
        show(path, &rows);
    }
    windows(&engine, &meta, &rows);
    slices(&engine);
    moments(&engine, &meta, &rows);
    ranges(&engine, &meta);
    preview::check(&engine);
    true
}

fn show(path: &Path, rows: &Answer) {
    let (names, notes) = (rows.texts("names"), rows.texts("notes"));
    let [parents, kinds, levels, flags] =
        ["parent", "kind", "levels", "flags"].map(|name| rows.ints(name));
    let busy = rows.floats("busy");
    println!("# {}", path.display());
    for at in 0..names.len().min(60) {
        let mut depth = 0;
        let mut up = parents[at];
        while up != u32::MAX {
            (depth, up) = (depth + 1, parents[up as usize]);
        }
        println!(
            "{:indent$}{} [{}] kind {} levels {} busy {:.3} ms flags {}",
            "",
            names[at],
            notes[at],
            kinds[at],
            levels[at],
            busy[at] / 1e6,
            flags[at],
            indent = depth * 2
        );
    }
}

/// Slices and states of a window overlap it and are in order.
fn windows(engine: &Engine, meta: &Answer, rows: &Answer) {
    let duration = meta.number("duration_ns").max(1.0);
    let all: Vec<usize> = (0..rows.texts("names").len()).collect();
    let mut random = Rng::new(7);
    for zoom in [1.0, 0.5, 0.01] {
        let from = (random.below(1000) as f64 / 1000.0 * duration * (1.0 - zoom)).floor();
        let to = from + (duration * zoom).ceil() + 1.0;
        let question = json!({"op": "window", "rows": all, "from": from, "to": to, "px_ns": (to - from) / 1000.0});
        let answer = ask(engine, question);
        let first = answer.ints("first_slice");
        assert_eq!(first.len(), all.len() + 1);
        let (ts, end, level) = (
            answer.floats("s_ts"),
            answer.floats("s_end"),
            answer.ints("s_level"),
        );
        for row in first.windows(2) {
            for at in row[0] as usize..row[1] as usize {
                assert!(ts[at] < to && (end[at] > from || ts[at] >= from));
                if at > row[0] as usize {
                    assert!((level[at - 1], ts[at - 1]) <= (level[at], ts[at]));
                }
            }
        }
        let (ts, end) = (answer.floats("t_ts"), answer.floats("t_end"));
        assert!(ts.iter().zip(&end).all(|(ts, end)| ts <= end && *ts < to));
    }
}

fn slices(engine: &Engine) {
    let trace = engine.trace();
    let count = trace.slices.len() as u64;
    let mut random = Rng::new(11);
    for _ in 0..count.min(100) {
        let id = random.below(count);
        let details = ask(engine, json!({"op": "slice", "id": id}));
        let place = ask(engine, json!({"op": "locate", "id": id}));
        assert_eq!(details.json["row"], place.json["row"]);
        assert_ne!(place.json["row"], json!(u32::MAX));
        let names = ask(engine, json!({"op": "names", "ids": [place.json["name"]]}));
        assert_eq!(names.texts("names").len(), 1);
        let next = ask(engine, json!({"op": "neighbour", "id": id, "to": "next"}));
        if next.json.get("none").is_none() {
            let back = ask(
                engine,
                json!({"op": "neighbour", "id": next.json["id"], "to": "previous"}),
            );
            assert_eq!(back.json["id"], json!(id));
        }
        let child = ask(engine, json!({"op": "neighbour", "id": id, "to": "child"}));
        if child.json.get("none").is_none() {
            let back = ask(
                engine,
                json!({"op": "neighbour", "id": child.json["id"], "to": "parent"}),
            );
            assert_eq!(back.json["id"], json!(id));
        }
    }
}

fn moments(engine: &Engine, meta: &Answer, rows: &Answer) {
    let (kinds, utids) = (rows.ints("kind"), rows.ints("utid"));
    let duration = meta.number("duration_ns");
    let mut random = Rng::new(5);
    for row in 0..kinds.len() {
        let ts = (random.below(1000) as f64 / 999.0 * duration).floor();
        let what = match kinds[row] {
            2 => "state",
            3 => "sched",
            4 => "counter",
            _ => "instant",
        };
        let found = ask(
            engine,
            json!({"op": "at", "row": row, "ts": ts, "what": what}),
        );
        if what == "state" && found.json.get("none").is_none() {
            assert!(found.number("ts") <= ts && found.number("end") >= ts);
            ask(engine, json!({"op": "flows", "utid": utids[row], "ts": ts}));
        }
    }
}

fn ranges(engine: &Engine, meta: &Answer) {
    let duration = meta.number("duration_ns");
    let whole = ask(engine, json!({"op": "range", "limit": 100_000}));
    let by_name = whole.json["by_name"].as_array().unwrap();
    for name in by_name {
        let number = |key: &str| name[key].as_f64().unwrap();
        assert!(number("min_ns") <= number("median_ns") && number("median_ns") <= number("p95_ns"));
        assert!(
            number("p95_ns") <= number("max_ns") && number("max_ns") <= number("total_ns"),
            "{name}"
        );
    }
    for name in by_name.iter().take(5) {
        let label = name["label"].as_str().unwrap();
        let found = ask(
            engine,
            json!({"op": "find", "text": label, "mode": "exact", "limit": 10}),
        );
        assert!(found.ints("name").len() <= 10);
        // Labels are shortened, and overloads have the same label.
        if !label.contains('…') && !label.is_empty() {
            assert!(found.number("total") >= name["count"].as_f64().unwrap());
        }
        let same = ask(engine, json!({"op": "same", "name": name["name"]}));
        assert!(same.number("count") >= name["count"].as_f64().unwrap());
        assert!(same.floats("ts").is_sorted());
        let first = same.ints("slice")[0];
        ask(engine, json!({"op": "flows", "slice": first}));
    }
    for part in 0..4 {
        let from = (duration / 5.0 * f64::from(part)).floor();
        let to = from + (duration / 5.0).ceil();
        let part = ask(engine, json!({"op": "range", "from": from, "to": to}));
        for cpu in part.json["cpus"].as_array().unwrap() {
            assert!(cpu["busy_ns"].as_f64().unwrap() <= to - from + 1.0);
        }
        for thread in part.json["threads"].as_array().unwrap() {
            let times = [
                "running_ns",
                "runnable_ns",
                "sleeping_ns",
                "uninterruptible_ns",
                "io_ns",
                "other_ns",
            ];
            let sum: f64 = times
                .iter()
                .map(|time| thread[*time].as_f64().unwrap())
                .sum();
            assert!(sum <= to - from + 1.0, "{thread}");
        }
    }
}

/// Times on the screen go through the browser's numbers at every step.
#[test]
fn a_window_takes_a_dozen_bytes_a_slice() {
    let path = workspace_root().join("examples/app.trace");
    let engine =
        Engine::new(read_bytes(&std::fs::read(path).unwrap(), ReadOptions::default()).unwrap());
    let rows: Vec<usize> = (0..ask(&engine, json!({"op": "rows"})).texts("names").len()).collect();
    let end = ask(&engine, json!({"op": "meta"})).number("duration_ns");
    for (from, to) in [(0.0, end), (end * 0.35, end * 0.6)] {
        let question = json!({"op": "window", "rows": rows, "from": from, "to": to, "px_ns": (to - from) / 5760.0});
        let bytes = engine
            .answer(question.to_string().as_bytes(), &Cancel::default())
            .len();
        let slices = ask(&engine, question).ints("s_level").len();
        println!("{bytes} bytes, {slices} slices");
        assert!(
            slices > 500 && bytes < slices * 16,
            "{bytes} bytes for {slices} slices"
        );
    }
}
