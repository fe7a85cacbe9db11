//! The page shows the same numbers as the command line: compares the engine's answers with
//! `--json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use traceloom_engine::{Cancel, Engine};
use traceloom_formats::{ReadOptions, read_bytes};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The examples, and some real traces if present.
fn traces() -> Vec<PathBuf> {
    let mut traces: Vec<PathBuf> = ["app.trace", "linux.ftrace", "jank.ftrace.gz"]
        .map(|name| workspace().join("examples").join(name))
        .to_vec();
    let Some(corpus) = testkit::Corpus::find() else {
        return traces;
    };
    for category in ["traceview-v3", "systrace-html", "ftrace-text"] {
        let files = corpus.files(&[category]).into_iter();
        let small = files.filter(|file| file.path.metadata().is_ok_and(|m| m.len() < 3 << 20));
        let before = traces.len();
        traces.extend(small.take(6).map(|file| file.path));
        eprintln!("{category}: {} real traces checked", traces.len() - before);
    }
    traces
}

/// The JSON that the program prints; `None` if it finds no calls.
fn printed(trace: &Path, args: &[&str]) -> Option<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.arg("profile").arg(trace).arg("--json").args(args);
    let output = command.output().expect("traceloom runs");
    output
        .status
        .success()
        .then(|| serde_json::from_slice(&output.stdout).unwrap())
}

fn ask(engine: &Engine, question: &Value) -> Value {
    let bytes = engine.answer(question.to_string().as_bytes(), &Cancel::default());
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    assert_eq!(json["error"], Value::Null, "{question}");
    json
}

/// A row without the fields that only the page needs. The method's name is where the program has
/// it.
fn plain(row: &Value) -> Value {
    let mut row: BTreeMap<String, Value> = serde_json::from_value(row.clone()).unwrap();
    if row.remove("label").is_some() {
        row.remove("name");
        let name = row.remove("method").unwrap_or(json!(""));
        row.insert("name".to_owned(), name);
    }
    json!(row)
}

fn all_plain(rows: &Value) -> Vec<Value> {
    rows.as_array().unwrap().iter().map(plain).collect()
}

#[test]
fn the_engine_answers_what_the_program_prints() {
    let mut compared = 0;
    for trace in traces() {
        let bytes = std::fs::read(&trace).unwrap();
        let Ok(read) = read_bytes(&bytes, ReadOptions::default()) else {
            continue;
        };
        let engine = Engine::new(read);
        for by in ["method", "class", "package", "thread"] {
            let Some(expected) = printed(&trace, &["--by", by, "--limit=0"]) else {
                continue;
            };
            let question = json!({"op": "profile", "by": by, "limit": 10_000_000});
            let told = ask(&engine, &question);
            let place = format!("{} by {by}", trace.display());
            assert_eq!(
                all_plain(&told["rows"]),
                all_plain(&expected["rows"]),
                "{place}"
            );
            for key in ["clock", "clocks", "by", "total", "outside", "calls"] {
                assert_eq!(told[key], expected[key], "{place}: {key}");
            }
            assert_eq!(
                counts(&told["repairs"]),
                counts(&expected["repairs"]),
                "{place}"
            );
            compared += 1;
        }
        method(&trace, &engine);
        tree(&trace, &engine);
    }
    assert!(compared >= 8, "{compared}");
    eprintln!("{compared} profiles compared");
}

/// How often each kind of repair occurred. The two ways of reading a file find them at different
/// places.
fn counts(repairs: &Value) -> BTreeMap<String, u64> {
    let repairs = repairs.as_array().unwrap().iter();
    let count = |note: &Value| (note["kind"].to_string(), note["count"].as_u64().unwrap());
    repairs.map(count).collect()
}

fn method(trace: &Path, engine: &Engine) {
    let rows = ask(engine, &json!({"op": "profile"}))["rows"].clone();
    for row in rows.as_array().unwrap().iter().take(3) {
        let name = row["label"].as_str().unwrap().to_owned()
            + row["signature"].as_str().unwrap_or_default();
        let Some(printed) = printed(trace, &["--method", &name]) else {
            continue;
        };
        let expected = &printed["method"];
        if expected["row"]["rank"] != row["rank"] {
            continue;
        }
        let told = ask(engine, &json!({"op": "method", "rank": row["rank"]}));
        assert_eq!(plain(&told["row"]), expected["row"]);
        assert_eq!(told["own"], expected["own"]);
        for section in [
            "parents",
            "children",
            "recursive_parents",
            "recursive_children",
        ] {
            let place = format!("{}: {section} of {name}", trace.display());
            assert_eq!(
                all_plain(&told[section]),
                all_plain(&expected[section]),
                "{place}"
            );
        }
    }
}

fn tree(trace: &Path, engine: &Engine) {
    for (option, direction) in [("top-down", "top_down"), ("bottom-up", "bottom_up")] {
        let args = [
            "--tree",
            option,
            "--depth=3",
            "--min-percent=0.5",
            "--limit=0",
        ];
        let Some(expected) = printed(trace, &args) else {
            continue;
        };
        let question = json!({"op": "tree", "direction": direction, "max_depth": 3,
                              "min_percent": 0.5, "max_children": 10_000_000});
        let told = ask(engine, &question);
        assert_eq!(
            all_plain(&told["rows"]),
            all_plain(&expected["tree"]["rows"])
        );
        assert_eq!(told["hidden"], expected["tree"]["hidden"]);
    }
}
