//! Recordings of a command, of chosen threads, and of filtered events, checked against what ran.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::KernelTurn;
use traceloom_trace::Trace;

use crate::linux::settings;
use crate::work::{open, said, traceloom};

/// Records this machine with these arguments.
fn run(folder: &Path, args: &[&str]) -> Output {
    let args = [&["capture", "--target", "linux"], args].concat();
    let mut command = traceloom(folder, &args);
    command.stdin(Stdio::null()).output().unwrap()
}

/// The text of a recording.
fn text(folder: &Path, args: &[&str]) -> String {
    let before = settings();
    let output = run(folder, &[&["-o", "x.txt"], args].concat());
    assert!(output.status.success(), "{:?}", said(&output));
    assert_eq!(settings(), before);
    std::fs::read_to_string(folder.join("x.txt")).unwrap()
}

/// A process that ends with the test.
struct Ending(std::process::Child);

impl Drop for Ending {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn has_process(trace: &Trace, name: &str) -> bool {
    let mut threads = trace.threads.rows();
    threads.any(|thread| trace.strings.get(thread.name) == name)
}

#[test]
fn a_recording_lasts_as_long_as_its_command() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for how in [&[][..], &["--raw"], &["--ring", "60s"]] {
        let args = [
            "-o",
            "x.html",
            "sched",
            "--",
            "sh",
            "-c",
            "sleep 0.2; exit 7",
        ];
        let output = run(folder.path(), &[how, &args].concat());
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(stderr.contains("ended with exit status: 7"), "{stderr}");
        let trace = open(&folder.path().join("x.html"));
        assert!(has_process(&trace, "sleep"), "{stderr}");
        let (first, last) = trace.bounds;
        assert!(last - first >= 200_000_000);
    }
    let before = settings();
    let output = run(folder.path(), &["sched", "--", "no-such-program"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).1.contains("cannot run no-such-program"));
    assert_eq!(settings(), before);
}

#[test]
fn filtered_events_fulfil_the_filter() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let event = ["--event", "sched/sched_switch"];
    let filter = ["--filter", "sched_switch: prev_comm == \"sleep\""];
    let command = ["--", "sleep", "0.1"];
    let text = text(folder.path(), &[&event[..], &filter, &command].concat());
    let mut switches = text
        .lines()
        .filter(|line| line.contains(": sched_switch: "));
    assert!(text.contains(": sched_switch: prev_comm=sleep "));
    assert!(switches.all(|line| line.contains("prev_comm=sleep ")));
    let filter = "/sys/kernel/tracing/events/sched/sched_switch/filter";
    assert_eq!(std::fs::read_to_string(filter).unwrap().trim(), "none");

    for (filter, why) in [
        (
            "sched_switch: nonsense == 1",
            "the kernel refuses the filter",
        ),
        ("no_such_event: pid == 1", "no event no_such_event"),
    ] {
        let args = ["-t", "1", "--filter", filter, "sched"];
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).1.contains(why), "{}", said(&output).1);
    }
}

#[test]
fn only_the_chosen_threads_and_their_children_are_recorded() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // It notes each child that has ended.
    std::fs::write(folder.path().join("ended"), "").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "while :; do sleep 0.01; echo >>ended; done"]);
    let shell = Ending(shell.current_dir(folder.path()).spawn().unwrap());
    let pid = shell.0.id().to_string();
    let args = ["--event", "sched/sched_process_exit", "--pid", &pid];
    // Until five more have ended. The first may have begun before the recording.
    let wait =
        "until=$(($(wc -l <ended) + 5)); while [ $(wc -l <ended) -lt $until ]; do sleep 0.05; done";
    let text = text(
        folder.path(),
        &[&args[..], &["--", "sh", "-c", wait]].concat(),
    );
    drop(shell);
    let exits = text
        .lines()
        .filter(|line| line.contains(": sched_process_exit: "));
    let exits: Vec<&str> = exits.collect();
    assert!(exits.len() > 3, "{text}");
    assert!(
        exits.iter().all(|line| line.contains("comm=sleep ")),
        "{text}"
    );
    let pids = std::fs::read_to_string("/sys/kernel/tracing/set_event_pid").unwrap();
    assert_eq!(pids.trim(), "");
}

#[test]
fn a_process_that_has_ended_is_refused() {
    let mut process = std::process::Command::new("true").spawn().unwrap();
    let pid = process.id().to_string();
    process.wait().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "capture", "--target", "linux", "-t", "1", "--pid", &pid, "sched",
    ];
    let output = traceloom(folder.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let (_, stderr) = said(&output);
    assert!(
        stderr.contains(&format!("no process or thread {pid}")),
        "{stderr}"
    );
}

#[test]
fn a_chosen_event_has_its_stack() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "--event",
        "sched/sched_process_exit",
        "--stacks",
        "sched_process_exit",
    ];
    let text = text(
        folder.path(),
        &[&args[..], &["--", "sleep", "0.1"]].concat(),
    );
    assert!(
        text.contains("<stack trace>") && text.contains("do_exit"),
        "{text}"
    );
    let trigger = "/sys/kernel/tracing/events/sched/sched_process_exit/trigger";
    let left = std::fs::read_to_string(trigger).unwrap();
    assert!(left.lines().all(|line| line.starts_with('#')), "{left}");
}
