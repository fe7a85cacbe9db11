//! `traceloom callgraph` from end to end.

mod made;

use std::path::{Path, PathBuf};

use made::{ENTER, EXIT, Made, on_real_traces, refused_in, run, stderr, stdout};

/// A frame with an item that draws too slowly, a list that calls itself, and a hostile name.
fn app() -> PathBuf {
    let mut trace = Made::new(3, "dual")
        .threads(&[(1, "main"), (2, "worker")])
        .methods(&[
            ("com.example.MainActivity", "onDraw", "()V"),
            ("com.example.Item", "draw", "(I)V"),
            ("com.example.Tree", "walk", "()V"),
            ("x.<\"&|\\", "\u{1b}[31m", "{}"),
        ]);
    trace.record(1, 1, ENTER, &[0, 0]);
    for item in 0..3 {
        let at = 1_000 + item * 2_000;
        trace.record(1, 2, ENTER, &[at, at]);
        trace.record(1, 2, EXIT, &[at + 1_500, at + 1_900]);
    }
    trace.record(1, 3, ENTER, &[7_000, 7_000]);
    trace.record(1, 3, ENTER, &[7_100, 7_100]);
    trace.record(1, 4, ENTER, &[7_200, 7_200]);
    trace.record(1, 4, EXIT, &[7_250, 7_250]);
    trace.record(1, 3, EXIT, &[7_300, 7_300]);
    trace.record(1, 3, EXIT, &[7_500, 7_500]);
    trace.record(1, 1, EXIT, &[8_000, 10_000]);
    trace.record(2, 3, ENTER, &[0, 0]);
    trace.record(2, 3, EXIT, &[4_000, 10_000]);
    trace.file("app.trace")
}

fn drawn(args: &[&str]) -> String {
    let app = app();
    let first = ["callgraph", app.to_str().unwrap(), "-o", "-"];
    let output = run(first.iter().chain(args));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn dot() {
    let text = drawn(&["--to", "dot", "--threshold", "0", "--clock", "wall"]);
    assert_eq!(text, include_str!("callgraph/app.dot"));
}

/// A sampling profile: `run` calls `draw`, and `draw` calls itself.
#[test]
fn samples() {
    let sample = |at: u32, stack: &[&str]| {
        let frame = |name: &&str| format!("\t10 {name} (/bin/app)\n");
        let stack: String = stack.iter().map(frame).collect();
        format!("app 7 [000] 1.{at:06}: 250 cycles:\n{stack}\n")
    };
    let text = [
        sample(1, &["draw", "draw", "run"]),
        sample(2, &["draw", "run"]),
        sample(3, &["draw", "run"]),
        sample(4, &["run"]),
    ];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph.perf.txt");
    std::fs::write(&path, text.concat()).unwrap();
    let path = path.to_str().unwrap();
    let output = run(["callgraph", path, "-o", "-", "--to", "dot"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), include_str!("callgraph/samples.dot"));
    let svg = stdout(&run(["callgraph", path, "-o", "-", "--to", "svg"]));
    assert!(svg.contains("excl 3 samples (75.0 %)"), "{svg}");
    let refused = run([
        "callgraph",
        path,
        "-o",
        "-",
        "--to",
        "dot",
        "--clock",
        "cpu",
    ]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("counted, not timed"));
}

#[test]
fn svg() {
    let text = drawn(&["--to", "svg", "--threshold", "0", "--clock", "wall"]);
    assert_eq!(text, include_str!("callgraph/app.svg"));
    // No external resources, no scripts, and no text that a terminal or a parser would interpret.
    let outside = text.replace("http://www.w3.org/2000/svg", "");
    for forbidden in ["http", "<script", "href", "\u{1b}"] {
        assert!(!outside.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn choices() {
    let text = drawn(&["--to", "dot", "--thread", "worker", "--clock", "cpu"]);
    assert!(
        text.contains("app.trace · worker") && text.contains("4.0 ms CPU time"),
        "{text}"
    );
    assert!(!text.contains("onDraw"), "{text}");
    let text = drawn(&[
        "--to",
        "dot",
        "--method",
        "Item.draw",
        "--threshold",
        "0",
        "--clock",
        "wall",
    ]);
    assert!(text.contains("onDraw") && !text.contains("walk"), "{text}");
    let text = drawn(&["--to", "dot", "--max-nodes", "1"]);
    assert!(
        text.contains("\nn1 [") && !text.contains("\nn2 ["),
        "{text}"
    );
}

#[test]
fn refusals() {
    let app = app();
    let told = |args: &[&str]| {
        let front = ["callgraph", app.to_str().unwrap()];
        refused_in(Path::new("."), &[&front, args].concat())
    };
    assert!(told(&["-o", "calls.txt"]).contains("use .svg, .dot or .png"));
    assert!(told(&["-o", "-", "--to", "svg", "--method", "nobody"]).contains("no method"));
    assert!(told(&["-o", "-", "--to", "svg", "--thread", "nobody"]).contains("main (1)"));
    assert!(told(&["-o", "-", "--to", "svg", "--threshold", "101"]).contains("0 to 100"));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(["callgraph", app.to_str().unwrap(), "-o", "-", "--to", "png"])
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("svg"), "{}", stderr(&output));
}

#[test]
fn real_traces() {
    let args = |path: &str| {
        ["callgraph", path, "-o", "-", "--to", "svg"]
            .map(String::from)
            .to_vec()
    };
    on_real_traces(args, |path, text| {
        assert!(
            text.starts_with("<svg ") && text.ends_with("</svg>\n"),
            "{path}"
        );
    });
}

#[test]
fn slices_that_never_ended_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("open.ftrace");
    let text = "# tracer: nop\n\
        app-7 (7) [000] .... 1.000000: tracing_mark_write: B|7|endless\n\
        app-7 (7) [000] .... 1.001000: tracing_mark_write: B|7|inner\n\
        app-7 (7) [000] .... 1.002000: tracing_mark_write: E|7\n\
        app-7 (7) [000] .... 1.005000: tracing_mark_write: B|7|late\n\
        app-7 (7) [000] .... 1.006000: tracing_mark_write: C|7|counter|1\n";
    std::fs::write(&file, text).unwrap();
    let output = run([
        "callgraph",
        file.to_str().unwrap(),
        "-o",
        "-",
        "--to",
        "dot",
    ]);
    assert_eq!(
        stderr(&output).lines().next(),
        Some("traceloom: the graph leaves out 5.000 ms in 2 slices that never ended")
    );
}
