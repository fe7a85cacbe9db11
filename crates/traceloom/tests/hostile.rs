//! Hostile texts and shapes: every command ends with a result or an error, never with a panic.

mod made;

use std::path::Path;
use std::process::Output;

use made::{ENTER, EXIT, Made, run_in};

/// More than the widths of Rust's format strings can express.
const LONG: usize = 70_000;

/// A method trace and a system trace with a long text in each place that a reader takes one from.
fn long_texts() -> Vec<(String, Vec<u8>)> {
    let long = "x".repeat(LONG);
    let mut made: Vec<(String, Vec<u8>)> = Vec::new();
    for place in ["key", "value", "thread", "class", "method", "signature"] {
        let text = |own: &str| {
            if own == place {
                long.clone()
            } else {
                own.to_owned()
            }
        };
        let mut trace = Made::new(2, "wall")
            .threads(&[(1, &text("thread"))])
            .methods(&[(&text("class"), &text("method"), &text("signature"))]);
        trace.record(1, 1, ENTER, &[1]);
        trace.record(1, 1, EXIT, &[9]);
        let line = format!("clock=wall\n{}={}\n", text("key"), text("value"));
        let bytes = trace.bytes();
        let at = bytes.windows(11).position(|part| part == b"clock=wall\n");
        let (before, after) = bytes.split_at(at.unwrap());
        let bytes = [before, line.as_bytes(), &after[11..]].concat();
        made.push((format!("{place}.trace"), bytes));
    }
    for place in ["comm", "mark", "counter", "field", "event"] {
        let text = |own: &str| {
            if own == place {
                long.clone()
            } else {
                own.to_owned()
            }
        };
        let (comm, mark, counter) = (text("comm"), text("mark"), text("counter"));
        let (field, event) = (text("field"), text("event"));
        let text = format!(
            "# tracer: nop\n\
             {comm}-10 (   10) [000] .... 1.000001: tracing_mark_write: B|10|{mark}\n\
             {comm}-10 (   10) [000] .... 1.000002: tracing_mark_write: C|10|{counter}|3\n\
             {comm}-10 (   10) [000] .... 1.000003: {event}: {field}=7\n\
             {comm}-10 (   10) [000] .... 1.000004: tracing_mark_write: E|10\n"
        );
        made.push((format!("{place}.ftrace"), text.into_bytes()));
    }
    made
}

/// The command lines that print something of a trace.
const PRINTING: [&[&str]; 12] = [
    &["info", "IN", "--all"],
    &["info", "IN", "--json"],
    &["profile", "IN"],
    &["profile", "IN", "--csv"],
    &["profile", "IN", "--by", "thread"],
    &["profile", "IN", "--tree", "top-down"],
    &["profile", "IN", "--tree", "bottom-up", "--csv"],
    &["callgraph", "IN", "--format", "svg"],
    &["diff", "IN", "IN"],
    &["frames", "IN"],
    &["dmtracedump", "IN"],
    &["traceview", "-r", "IN"],
];

fn run(folder: &Path, command: &[&str], file: &str) -> Output {
    let args = command
        .iter()
        .map(|arg| if *arg == "IN" { file } else { arg });
    run_in(folder, args)
}

/// A panic ends with 101, a signal with none.
fn ended_well(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    matches!(output.status.code(), Some(0..=2)) && !said.contains("panicked")
}

#[test]
fn long_texts_are_printed_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in long_texts() {
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        for command in PRINTING {
            let output = run(folder.path(), command, &name);
            assert!(ended_well(&output), "{command:?} {name}: {output:?}");
        }
    }
}

#[test]
fn a_long_key_does_not_push_other_values_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (name, bytes) = long_texts().swap_remove(0);
    std::fs::write(folder.path().join(&name), bytes).unwrap();
    let output = run(folder.path(), &["info", "IN"], &name);
    let shown = String::from_utf8(output.stdout).unwrap();
    let clock = shown.lines().find(|line| line.starts_with("  clock"));
    assert!(clock.is_some_and(|line| line.len() < 60), "{clock:?}");
    assert!(shown.len() < 10_000, "{}", shown.len());
}
