//! `traceloom threads` end to end: traces in, text out.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn traceloom(command: &str, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    program.arg(command).args(args).current_dir(workspace());
    program.env_remove("COLUMNS");
    program.output().expect("traceloom runs")
}

/// Standard output of a successful run.
fn shown(args: &[&str]) -> String {
    let output = traceloom("threads", args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a failed run, which prints nothing on standard output.
fn refused(command: &str, args: &[&str]) -> String {
    let output = traceloom(command, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

const JANK: &str = "examples/jank.ftrace.gz";

#[test]
fn the_busiest_threads() {
    insta::assert_snapshot!(shown(&[JANK, "--limit=8"]));
}

#[test]
fn one_process_in_a_range_of_time() {
    insta::assert_snapshot!(shown(&[
        JANK,
        "--process=loom.reader",
        "--from=700ms",
        "--until=1s",
        "--sort=worst",
        "--limit=3"
    ]));
}

#[test]
fn csv() {
    insta::assert_snapshot!(shown(&[JANK, "--csv", "--limit=4"]));
}

#[test]
fn json() {
    insta::assert_snapshot!(shown(&[JANK, "--json", "--thread=RenderThread"]));
}

/// A text with hand-calculated numbers: task runs 2 ms, sleeps 1 ms until irq wakes it, waits 0.5
/// ms for a CPU, runs 1 ms on the other CPU, and is blocked in a disk function for 3 ms.
const BY_HAND: &str = "\
  <idle>-0     [000] d..3 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=task next_pid=7 next_prio=120
    task-7     [000] d..3 1.002000: sched_switch: prev_comm=task prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
  <idle>-0     [000] d.h4 1.003000: sched_waking: comm=task pid=7 prio=120 target_cpu=001
  <idle>-0     [001] d..3 1.003500: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=task next_pid=7 next_prio=120
    task-7     [001] d..3 1.004500: sched_switch: prev_comm=task prev_pid=7 prev_prio=120 prev_state=D ==> next_comm=kworker next_pid=9 next_prio=120
 kworker-9     [001] d..4 1.007500: sched_waking: comm=task pid=7 prio=120 target_cpu=001
 kworker-9     [001] d..4 1.007500: sched_blocked_reason: pid=7 iowait=1 caller=folio_wait_bit_common+0x1/0x2
 kworker-9     [001] d..3 1.009500: sched_switch: prev_comm=kworker prev_pid=9 prev_prio=120 prev_state=I ==> next_comm=task next_pid=7 next_prio=120
    task-7     [001] d..3 1.010000: sched_switch: prev_comm=task prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
";

#[test]
fn numbers_calculated_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hand.ftrace");
    std::fs::write(&file, BY_HAND).unwrap();
    let text = shown(&[file.to_str().unwrap(), "--thread=7", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let task = &json["threads"][0];
    for (field, ns) in [
        ("running_ns", 3_500_000),
        ("runnable_ns", 2_500_000),
        ("preempted_ns", 0),
        ("sleeping_ns", 1_000_000),
        ("blocked_ns", 3_000_000),
        ("io_ns", 3_000_000),
        ("runs", 3),
        ("migrations", 1),
    ] {
        assert_eq!(task[field], ns, "{field}");
    }
    let latency = &task["latency"];
    assert_eq!(latency["wakeups"], 2);
    assert_eq!(latency["median_ns"], 500_000);
    assert_eq!(latency["worst_ns"], 2_000_000);
    assert_eq!(latency["worst_at_ns"], 7_500_000);
    let wakers = task["wakers"].as_array().unwrap();
    let told: Vec<_> = wakers.iter().map(|one| one["thread"].as_str()).collect();
    assert_eq!(told, [Some("kworker"), Some("an interrupt")]);
    assert_eq!(
        task["blocked_in"][0]["function"],
        "folio_wait_bit_common+0x1/0x2"
    );
    assert_eq!(task["cpus"][0]["ns"], 2_000_000);
}

#[test]
fn mistakes_are_told() {
    insta::assert_snapshot!(
        [
            refused("threads", &["examples/app.trace"]),
            refused("threads", &[JANK, "--process=nobody"]),
            refused("threads", &[JANK, "--thread=nobody"]),
            refused("threads", &[JANK, "--from=2s", "--until=1s"]),
        ]
        .concat()
    );
}

/// For a process that `info` lists but that has no slices, the message does not claim that there is
/// none.
#[test]
fn profile_says_that_a_process_has_no_slices() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hand.ftrace");
    let mark = " other-8 ( 8) [000] .... 1.0095: tracing_mark_write: B|8|work\n";
    let end = " other-8 ( 8) [000] .... 1.0096: tracing_mark_write: E|8\n";
    let text = BY_HAND.replace("    task-7     [001]", "    task-7 ( 7) [001]");
    std::fs::write(&file, [&text, mark, end].concat()).unwrap();
    let path = file.to_str().unwrap();
    for option in ["--process=7", "--thread=task"] {
        let told = refused("profile", &[path, option]);
        assert!(
            told.contains("(7) has no slices; traceloom threads shows"),
            "{told}"
        );
    }
    let told = refused("profile", &[path, "--process=77"]);
    assert!(told.contains("there is none"), "{told}");
}

/// The states of each thread fill its time: in real files, no thread is in two states at once, and
/// no thread exceeds the trace's duration.
#[test]
fn real_traces() {
    let Some(corpus) = testkit::Corpus::find() else {
        return;
    };
    let mut checked = 0;
    for file in corpus.files(&["systrace-html", "ftrace-text", "trace-cmd-dat"]) {
        let path = file.path.to_str().unwrap();
        let output = traceloom("threads", &[path, "--json"]);
        if !output.status.success() {
            continue;
        }
        let info = traceloom("info", &[path, "--json"]).stdout;
        let info: serde_json::Value = serde_json::from_slice(&info).unwrap();
        let length = first(&info)["duration_ns"].as_i64().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for thread in json["threads"].as_array().unwrap() {
            let sum: i64 = ["running", "runnable", "sleeping", "blocked", "other"]
                .iter()
                .map(|state| thread[format!("{state}_ns")].as_i64().unwrap())
                .sum();
            assert!(sum <= length, "{path}: {thread}");
            checked += 1;
        }
    }
    eprintln!("{checked} threads of real traces checked");
}

/// The facts about the only file.
fn first(info: &serde_json::Value) -> &serde_json::Value {
    match info.as_array() {
        Some(files) => &files[0],
        None => info,
    }
}
