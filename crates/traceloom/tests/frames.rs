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

/// Standard output of a successful run.
fn shown(args: &[&str]) -> String {
    let output = traceloom(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a failed run, which prints nothing on standard output.
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
        "--until=1s",
        "--limit=2"
    ]));
}

/// The range is that of the other commands. `--to` is its name in earlier versions.
#[test]
fn a_range_is_given_as_elsewhere() {
    let until = shown(&[JANK, "--from=700ms", "--until=1s", "--csv"]);
    assert_eq!(shown(&[JANK, "--from=700ms", "--to=1s", "--csv"]), until);
    assert!((2..100).contains(&until.lines().count()), "{until}");
    let told = refused(&[JANK, "--from=1h"]);
    assert!(told.contains("1h is not a time"), "{told}");
    let told = refused(&[JANK, "--from=1000s"]);
    assert!(told.contains("after the end of the trace"), "{told}");
}

/// CSV and JSON have every frame, unless `--limit` asks for fewer.
#[test]
fn data_has_all_frames() {
    let worst = |options: &[&str]| {
        let json = shown(&[&[JANK, "--json"], options].concat());
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        report["worst"].as_array().unwrap().len()
    };
    assert_eq!((worst(&[]), worst(&["--limit=0"])), (199, 199));
    assert_eq!(worst(&["--limit=3"]), 3);
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

/// The number of frames equals the number of lines that begin one, except two that never end
/// (counted with grep).
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

/// A line of ftrace text: a mark of a thread.
fn mark(us: u64, thread: (&str, u32, u32), mark: &str) -> (u64, String) {
    let (name, tid, pid) = thread;
    let (seconds, rest) = (us / 1_000_000, us % 1_000_000);
    let line = format!(
        "{name}-{tid} ({pid}) [000] .... {seconds}.{rest:06}: tracing_mark_write: {mark}\n"
    );
    (us, line)
}

/// A slice of a thread.
fn slice(us: u64, dur: u64, thread: (&str, u32, u32), name: &str) -> [(u64, String); 2] {
    let pid = thread.2;
    [
        mark(us, thread, &format!("B|{pid}|{name}")),
        mark(us + dur, thread, &format!("E|{pid}")),
    ]
}

/// Writes the lines in order of time to a temporary file.
fn written(mut lines: Vec<(u64, String)>) -> (tempfile::TempDir, String) {
    lines.sort_by_key(|(us, _)| *us);
    let text: String = lines.into_iter().map(|(_, line)| line).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.ftrace");
    std::fs::write(&path, format!("# tracer: nop\n{text}")).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

const PERIOD_US: u64 = 16_667;

/// 60 Flutter frames. One is slow to build, one is slow to draw, and one changes nothing.
fn flutter() -> Vec<(u64, String)> {
    let main = ("m.example.dart", 100, 100);
    let (ui, raster) = (("1.ui", 101, 100), ("1.raster", 102, 100));
    let (mut lines, mut free) = (Vec::new(), 0);
    for frame in 0..60 {
        let at = 1_000_000 + frame * PERIOD_US;
        let build = if frame == 30 { 25_000 } else { 4_000 };
        let draw = if frame == 20 { 40_000 } else { 6_000 };
        lines.extend(slice(at, 100, main, "VSYNC"));
        lines.extend(slice(at + 120, 200, main, "Choreographer#doFrame"));
        let begin = if frame == 31 {
            at + 400 + 10_000
        } else {
            at + 400
        };
        lines.extend(slice(begin, build, ui, "Framework Workload"));
        if frame != 40 {
            let start = (begin + build + 50).max(free + 20);
            lines.extend(slice(start, draw, raster, "GPURasterizer::Draw"));
            lines.extend(slice(start + draw - 900, 300, raster, "queueBuffer"));
            free = start + draw;
        }
    }
    lines
}

#[test]
fn flutter_draws_on_two_threads() {
    let (_folder, path) = written(flutter());
    let report: serde_json::Value =
        serde_json::from_str(&shown(&[&path, "--json", "--limit=0"])).unwrap();
    let apps = report["apps"].as_array().unwrap();
    let of = |kind: &str| apps.iter().find(|app| app["kind"] == kind).unwrap();
    let flutter = of("flutter");
    assert_eq!(flutter["label"], "m.example.dart 1.ui");
    assert_eq!(
        (&flutter["frames"], &flutter["janky"]),
        (&60.into(), &2.into())
    );
    assert_eq!(report["vsync_source"], "slices VSYNC");
    // The raster thread's buffers are not separate frames.
    assert!(apps.iter().all(|app| app["kind"] != "buffers"), "{apps:?}");
    let worst = report["worst"].as_array().unwrap();
    let own: Vec<_> = worst
        .iter()
        .filter(|one| one["utid"] == flutter["utid"])
        .collect();
    let late: Vec<_> = own.iter().filter(|one| one["missed"] != 0).collect();
    let [drawn, built] = late[..] else {
        panic!("{late:?}");
    };
    assert_eq!(drawn["dur"], 44_050_000, "built for 4 ms, drawn for 40");
    assert_eq!(
        (&built["ui_ns"], &built["dur"]),
        (&25_000_000.into(), &31_050_000.into())
    );
    let undrawn: Vec<_> = own
        .iter()
        .filter(|one| one["render_slice"] == u32::MAX)
        .collect();
    assert_eq!(undrawn.len(), 1, "one frame changed nothing");
}

/// A game draws 30 times a second, is late once and pauses once; a service of its app has no
/// frames.
#[test]
fn a_game_hands_over_buffers() {
    let gfx = ("UnityGfxDeviceW", 201, 200);
    let mut lines = Vec::new();
    let mut at = 1_000_000;
    for buffer in 0..60 {
        at += match buffer {
            20 => 4 * PERIOD_US,
            40 => 3_000_000,
            _ => 2 * PERIOD_US,
        };
        lines.extend(slice(at, 200, gfx, "queueBuffer"));
    }
    lines.extend(slice(
        1_000_000,
        50,
        ("com.game.mine", 200, 200),
        "Choreographer#doFrame",
    ));
    lines.extend(slice(1_000_000, 50, ("com.game.store", 300, 300), "sync"));
    let (_folder, path) = written(lines);
    let report: serde_json::Value = serde_json::from_str(&shown(&[&path, "--json"])).unwrap();
    let apps = report["apps"].as_array().unwrap();
    let buffers = apps.iter().find(|app| app["kind"] == "buffers").unwrap();
    assert_eq!(buffers["label"], "com.game.mine UnityGfxDeviceW");
    assert_eq!(
        (&buffers["frames"], &buffers["janky"]),
        (&58.into(), &1.into())
    );
    assert_eq!(
        (&buffers["missed"], &buffers["p50_ns"]),
        (&2.into(), &33_334_000.into())
    );
    let told = refused(&[&path, "--process", "com.game.store"]);
    assert!(
        told.contains("has no frames of com.game.store (300)"),
        "{told}"
    );
    let told = refused(&[&path, "--process", "com.nobody"]);
    assert!(
        told.contains("no process with com.nobody in its name"),
        "{told}"
    );
}

#[test]
fn a_range_without_frames_says_so() {
    let text = shown(&["examples/jank.ftrace.gz", "--to=100ms"]);
    assert!(
        text.ends_with("\n\nno frame was in progress in this range of time\n"),
        "{text}"
    );
}
