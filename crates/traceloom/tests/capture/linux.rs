//! Records this machine.

use testkit::KernelTurn;

use crate::work::{Running, check_sleeper, open, record, said, sleeper, traceloom};

/// The settings that a recording changes.
pub fn settings() -> Vec<String> {
    let files = [
        "buffer_size_kb",
        "tracing_on",
        "trace_clock",
        "set_event",
        "options/overwrite",
        "options/record-tgid",
    ];
    let read =
        |file: &&str| std::fs::read_to_string(format!("/sys/kernel/tracing/{file}")).unwrap();
    files.iter().map(read).collect()
}

#[test]
fn a_page_and_json_and_text_of_this_machine() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["trace.html", "trace.json", "trace.txt", "trace.gz"] {
        let before = settings();
        let args = ["capture", "--target", "linux", "-o", name, "sched", "irq"];
        let output = record(traceloom(folder.path(), &args), || sleeper("linux sleeper"));
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(
            stderr.contains("Starting tracing (stop with enter)\n"),
            "{stderr}"
        );
        assert!(stderr.contains(&format!("{name}\n")), "{stderr}");
        check_sleeper(&open(&folder.path().join(name)), "linux sleeper");
        assert_eq!(settings(), before);
    }
}

#[test]
fn a_signal_ends_a_recording_and_keeps_it() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = settings();
    let args = [
        "capture",
        "--target",
        "linux",
        "-t",
        "600",
        "-o",
        "trace.txt",
        "sched",
    ];
    let running = Running::start(traceloom(folder.path(), &args));
    sleeper("interrupted");
    let output = running.interrupt();
    assert!(output.status.success(), "{:?}", said(&output));
    check_sleeper(&open(&folder.path().join("trace.txt")), "interrupted");
    assert_eq!(settings(), before);
}

#[test]
fn single_events_and_what_is_not_there() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let args = [
            &["capture", "--target", "linux", "-t", "1", "-o", "trace.txt"],
            args,
        ]
        .concat();
        traceloom(folder.path(), &args).output().unwrap()
    };
    let output = run(&["--event", "sched/sched_switch"]);
    assert!(output.status.success(), "{:?}", said(&output));
    let text = std::fs::read_to_string(folder.path().join("trace.txt")).unwrap();
    assert!(text.contains(": sched_switch: ") && !text.contains(": sched_waking: "));

    let output = run(&["nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(said(&output).1, @r#"
    traceloom: none of the chosen categories can be recorded here
      error: unknown tracing category "nonsense"
      --list-categories lists what can be recorded
    "#);
    let output = run(&["--event", "no/such"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(said(&output).1, @"traceloom: this kernel has no event no/such; available_events in its tracefs lists all");
}

#[test]
fn categories_are_listed() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let args = ["capture", "--target", "linux", "--list-categories"];
    let output = traceloom(std::path::Path::new("."), &args)
        .output()
        .unwrap();
    let (stdout, _) = said(&output);
    assert!(
        stdout.contains("       sched - CPU Scheduling\n"),
        "{stdout}"
    );
    assert!(!stdout.contains("Activity Manager"), "{stdout}");
}

#[test]
fn without_root_it_says_what_helps() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    // A copy of the program in a folder that everyone may enter.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("traceloom");
    std::fs::copy(crate::work::TRACELOOM, &program).unwrap();
    let open = |path: &std::path::Path| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    open(folder.path());
    open(&program);
    let mut command = std::process::Command::new(&program);
    let args = ["capture", "--target", "linux", "-t", "1", "-o", "trace.txt"];
    std::os::unix::process::CommandExt::uid(&mut command, 65534);
    let output = command
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(said(&output).1, @r"
    traceloom: recording this machine needs root, or write access to /sys/kernel/tracing
      run the same command with sudo
    ");
}

#[test]
fn a_slice_that_takes_too_long_ends_a_recording() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = settings();
    let args = [
        "capture",
        "--target",
        "linux",
        "--until",
        "slice:nap 7>5ms",
        "-t",
        "60",
        "-o",
        "trace.txt",
        "sched",
    ];
    let mut command = traceloom(folder.path(), &args);
    // In the background, where Enter cannot be pressed.
    command.stdin(std::process::Stdio::null());
    let running = Running::start(command);
    // Its naps after the seventh may come too late, after the recording has ended.
    crate::work::naps(8);
    let output = running.end();
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("nap 7 took 1"), "{stderr}");
    let trace = open(&folder.path().join("trace.txt"));
    assert!(trace.strings.lookup("nap 7").is_some() && trace.strings.lookup("nap 0").is_some());
    assert_eq!(settings(), before);
}

#[test]
fn a_ring_keeps_the_last_moment() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "capture",
        "--target",
        "linux",
        "--ring",
        "100ms",
        "-o",
        "trace.txt",
        "sched",
    ];
    let running = Running::start(traceloom(folder.path(), &args));
    crate::work::naps(40);
    let output = running.enter();
    assert!(output.status.success(), "{:?}", said(&output));
    let trace = open(&folder.path().join("trace.txt"));
    assert!(
        trace.strings.lookup("nap 39").is_some(),
        "the last is there"
    );
    assert!(trace.strings.lookup("nap 5").is_none(), "the first are not");
    let (first, last) = trace.bounds;
    assert!(last - first <= 101_000_000, "{} ns", last - first);
}
