//! `traceloom why` end to end: traces in, text out.

use std::path::Path;
use std::process::{Command, Output};

const JANK: &str = "examples/jank.ftrace.gz";

fn why(args: &[&str]) -> Output {
    command(args).output().expect("traceloom runs")
}

fn command(args: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    program.arg("why").args(args).current_dir(workspace);
    program.env_remove("COLUMNS");
    program
}

fn shown(args: &[&str]) -> String {
    let output = why(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// According to the kernel's events, the frame waits for a lock whose owner, DiskCache-1, waits for
/// the disk.
#[test]
fn a_late_frame_waits_for_the_disk() {
    let json = shown(&[JANK, "--slice=Choreographer#doFrame 74232", "--json"]);
    let why: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(why["thread"], "org.loom.reader");
    let parts = why["parts"].as_array().unwrap();
    let sum: i64 = parts
        .iter()
        .map(|part| part["dur_ns"].as_i64().unwrap())
        .sum();
    assert_eq!(sum, why["dur_ns"].as_i64().unwrap());
    let disk = parts.iter().filter(|part| {
        part["thread"] == "DiskCache-1 of org.loom.reader" && part["state"] == "waiting for I/O"
    });
    let disk: i64 = disk.map(|part| part["dur_ns"].as_i64().unwrap()).sum();
    assert!(disk > 32_000_000, "{disk} ns");
}

#[test]
fn a_thread_at_a_time_and_csv() {
    let text = shown(&[JANK, "--thread=DiskCache-1", "--at=525ms"]);
    assert!(text.contains("waiting for I/O"), "{text}");
    let csv = shown(&[JANK, "--thread=DiskCache-1", "--at=525ms", "--csv"]);
    assert!(csv.starts_with("ts_ns,dur_ns,thread,tid,depth,state,slice,why\n"));
    assert_eq!(csv.lines().count(), 2);
}

/// A line that is too long is cut at its end, so each begins with the thread.
#[test]
fn a_narrow_terminal_still_shows_the_threads() {
    let mut command = command(&[JANK, "--slice=Choreographer#doFrame 74232"]);
    let output = command.env("COLUMNS", "80").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().skip(3).collect();
    assert!(lines.len() > 10, "{text}");
    for line in lines {
        assert!(
            line.contains(" of org.loom.reader: ") || line.contains("  org.loom.reader: "),
            "{line}"
        );
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn what_cannot_be_explained_is_refused() {
    for (args, words) in [
        (&[JANK][..], "choose what to explain: --slice NAME, or"),
        (&[JANK, "--at=1s"], "choose what to explain"),
        (&[JANK, "--thread=4321"], "choose what to explain"),
        (
            &[JANK, "--thread=4321", "--at=100s"],
            "100.000 s after the first event; the trace lasts 1.9",
        ),
        (
            &[JANK, "--slice=no such slice"][..],
            "no thread has such a slice",
        ),
        (
            &[JANK, "--thread=binder", "--at=1s"],
            "selects several threads",
        ),
        (
            &["examples/app.trace", "--slice=main"],
            "no scheduling events",
        ),
    ] {
        let output = why(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}
