//! Records this machine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use testkit::KernelTurn;

use crate::work::{Running, SLEEP, check_sleeper, open, record, said, sleeper, took_ms, traceloom};

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
    // A copy of the program in a folder that everyone may enter. Another process makes it: a child
    // that another test forks at that moment would inherit our open file, and a program that is
    // open for writing cannot be executed.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("traceloom");
    let mut copy = std::process::Command::new("cp");
    let copied = copy.arg(crate::work::TRACELOOM).arg(&program).status();
    assert!(copied.unwrap().success());
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
    assert!(took_ms(&stderr, "nap 7") >= SLEEP.as_millis() as f64);
    let trace = open(&folder.path().join("trace.txt"));
    assert!(trace.strings.lookup("nap 7").is_some() && trace.strings.lookup("nap 0").is_some());
    assert_eq!(settings(), before);
}

/// The clock of the kernel's events, ns.
fn boot_ns() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Naps until `is_over`, and counts the naps in `done`. Returns the times before and after each
/// nap.
fn timed_naps(is_over: &AtomicBool, done: &AtomicUsize) -> Vec<(i64, i64)> {
    let mut marker = std::fs::File::options();
    let marker = marker.write(true).open("/sys/kernel/tracing/trace_marker");
    let mut marker = marker.unwrap();
    let mut mark = |text: String| std::io::Write::write_all(&mut marker, text.as_bytes()).is_ok();
    let pid = std::process::id();
    let mut times = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let begun = boot_ns();
        let begins = mark(format!("B|{pid}|nap {}", times.len()));
        thread::sleep(SLEEP);
        // The kernel takes no marks once the recording has ended.
        if begins && mark(format!("E|{pid}")) {
            times.push((begun, boot_ns()));
            done.store(times.len(), Ordering::Relaxed);
        }
    }
    times
}

/// The naps go on until the end, so the last moment has some, however late the recorder ends.
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
    let (is_over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (entered, output, naps) = thread::scope(|scope| {
        let naps = scope.spawn(|| timed_naps(&is_over, &done));
        while done.load(Ordering::Relaxed) < 40 && !naps.is_finished() {
            thread::sleep(SLEEP);
        }
        let entered = boot_ns();
        let output = running.enter();
        is_over.store(true, Ordering::Relaxed);
        (entered, output, naps.join().unwrap())
    });
    assert!(output.status.success(), "{:?}", said(&output));
    let trace = open(&folder.path().join("trace.txt"));
    // The text has whole microseconds.
    let (first, last) = (trace.bounds.0 - 1000, trace.bounds.1 + 1000);
    assert!(entered <= last, "the last moment is there");
    assert!(naps[0].1 < first, "the first naps are older");
    for (number, (begun, ended)) in naps.into_iter().enumerate() {
        let is_there = trace.strings.lookup(&format!("nap {number}")).is_some();
        if ended < first {
            assert!(!is_there, "nap {number} is older");
        } else if first + 2000 < begun && ended < last - 2000 {
            assert!(is_there, "nap {number} is there");
        }
    }
    let (first, last) = trace.bounds;
    assert!(last - first <= 101_000_000, "{} ns", last - first);
}
