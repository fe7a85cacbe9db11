//! `traceloom frames` end to end: traces in, text out.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn traceloom(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.arg("frames").args(args).current_dir(workspace());
    command.env_remove("COLUMNS");
    command.output().expect("traceloom runs")
}

/// Standard output of a run that works.
fn shown(args: &[&str]) -> String {
    let output = traceloom(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a run that fails, with nothing on standard output.
fn refused(args: &[&str]) -> String {
    let output = traceloom(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

const JANK: &str = "examples/jank.ftrace.gz";

#[test]
fn the_worst_frames() {
    insta::assert_snapshot!(shown(&[JANK]));
}

#[test]
fn one_process_in_a_range_of_time() {
    insta::assert_snapshot!(shown(&[
        JANK,
        "--process=loom.reader",
        "--from=700ms",
        "--to=1s",
        "--limit=2"
    ]));
}

#[test]
fn csv() {
    insta::assert_snapshot!(shown(&[JANK, "--csv", "--limit=6"]));
    assert_eq!(shown(&[JANK, "--csv"]).lines().count(), 200);
}

#[test]
fn json() {
    insta::assert_snapshot!(shown(&[JANK, "--json", "--limit=2"]));
}

#[test]
fn mistakes_are_told() {
    insta::assert_snapshot!(
        [
            refused(&["examples/linux.ftrace"]),
            refused(&["examples/app.trace"]),
            refused(&[JANK, "--process=nobody"]),
            refused(&[JANK, "--from=2s", "--to=1s"]),
        ]
        .concat()
    );
}

/// As many frames as the files have lines that begin one, but for two that never end (counted with grep).
#[test]
fn real_traces() {
    let Some(corpus) = testkit::Corpus::find() else {
        return;
    };
    let mut checked = 0;
    for (file, head) in [
        ("catapult__android_systrace.html", "364 frames, 2 janky"),
        ("performance_tool__trace.html", "252 frames, 0 janky"),
        ("performance_tool__trace_old.html", "28 frames, 0 janky"),
        ("trappy__trace_surfaceflinger.html", "2 frames, 0 janky"),
        (
            "flashlight__sample-atrace-output.txt",
            "158 frames, 0 janky",
        ),
        (
            "catapult__decompressed_atrace_data.txt",
            "15 frames, 3 janky",
        ),
    ] {
        let files = corpus.files(&["systrace-html", "ftrace-text"]);
        let Some(found) = files.iter().find(|one| one.name.ends_with(file)) else {
            continue;
        };
        let text = shown(&[found.path.to_str().unwrap()]);
        assert!(text.contains(head), "{file}: {text}");
        assert!(text.contains("every 16.667 ms (60 Hz, "), "{file}: {text}");
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}
