//! Recordings in the background.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use testkit::KernelTurn;

use crate::linux::settings;
use crate::load::{KernelCount, Load, counted};
use crate::marks::{SharedBufferOn, Writer, are_marks_copied};
use crate::work::{check_sleeper, open, said, sleeper, traceloom};

/// A separate folder for recordings. All of them end with the test.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let sessions = std::fs::read_dir(self.path().join("sessions"));
        for session in sessions.into_iter().flatten().flatten() {
            let name = session.file_name().into_string().unwrap();
            _ = command(self.path(), &["stop", &name]).output();
        }
    }
}

/// Runs a command with `folder` as its folder for recordings.
fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = traceloom(folder, &[&["capture"], args].concat());
    command.stdin(Stdio::null());
    command.env("TRACELOOM_SESSIONS", folder.join("sessions"));
    command
}

/// The output of a command that must succeed.
fn fine(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    let (stdout, stderr) = said(&output);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    stdout + &stderr
}

/// The message of a command that must fail.
fn refused(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    let (_, stderr) = said(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    stderr
}

/// The process of the only recording.
fn recorder(folder: &Path) -> i32 {
    let list = fine(folder, &["list"]);
    let (_, rest) = list.split_once("(process ").expect(&list);
    rest.split(')').next().unwrap().parse().unwrap()
}

/// Waits until something is true.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_recording_goes_on_after_its_command() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = Home::new();
    let before = settings();
    for name in ["x.html", "x.dat", "x.txt"] {
        assert!(fine(folder.path(), &["list"]).starts_with("nothing is recorded"));
        let said = fine(folder.path(), &["start", "-b", "1024", "sched"]);
        assert!(
            said.contains("Recording default in the background"),
            "{said}"
        );
        let list = fine(folder.path(), &["list"]);
        assert!(list.contains("default: recording for "), "{list}");
        assert!(
            list.contains(": sched, ") && list.contains(" % full, 0 lost"),
            "{list}"
        );
        let again = refused(folder.path(), &["start", "irq"]);
        assert!(
            again.contains("a recording named default is running (process "),
            "{again}"
        );
        let kernel = KernelCount::watch();
        let writer = Writer::start();
        sleeper("in background");
        let load = Load::start();
        thread::sleep(Duration::from_millis(200));
        drop(load);
        let marks = writer.end();
        fine(folder.path(), &["stop", "-o", name]);
        let kernel = kernel.end();
        let trace = open(&folder.path().join(name));
        assert_eq!(counted(&trace), kernel, "{name}");
        check_sleeper(&trace, "in background");
        assert!(
            trace
                .strings
                .lookup(&format!("mark {}", marks - 1))
                .is_some()
        );
        assert_eq!(settings(), before);
    }
    assert!(refused(folder.path(), &["stop"]).contains("nothing is recorded in the background"));
}

#[test]
fn a_writer_never_fails_while_a_recording_in_an_instance_starts_and_stops() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !are_marks_copied() {
        return;
    }
    let _on = SharedBufferOn::new();
    let folder = Home::new();
    let writer = Writer::start();
    for name in ["x.dat", "x.txt"] {
        let instance = ["start", "--instance", "test-marks", "-b", "16", "sched"];
        fine(folder.path(), &instance);
        let load = Load::start();
        fine(folder.path(), &["list"]);
        drop(load);
        fine(folder.path(), &["stop", "-o", name]);
        open(&folder.path().join(name));
    }
    assert!(writer.end() > 0);
}

#[test]
fn a_killed_recorder_is_reported_and_leaves_nothing() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = Home::new();
    let before = settings();
    for next in ["stop", "start"] {
        fine(folder.path(), &["start", "sched"]);
        // SAFETY: kill takes numbers; the recorder is this test's.
        unsafe { libc::kill(recorder(folder.path()), libc::SIGKILL) };
        until("the settings are restored", || settings() == before);
        let list = fine(folder.path(), &["list"]);
        assert_eq!(
            list,
            "default: the recorder was killed; nothing was saved\n"
        );
        if next == "stop" {
            let said = refused(folder.path(), &["stop", "-o", "x.html"]);
            assert!(
                said.contains("the recorder of default was killed"),
                "{said}"
            );
            assert!(!folder.path().join("x.html").exists());
        } else {
            let said = fine(folder.path(), &["start", "-o", "y.dat", "sched"]);
            assert!(
                said.contains("was killed; that recording is lost"),
                "{said}"
            );
            fine(folder.path(), &["stop"]);
            open(&folder.path().join("y.dat"));
        }
    }
    assert_eq!(settings(), before);
}

#[test]
fn a_restart_of_the_machine_is_reported() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = Home::new();
    let before = settings();
    fine(folder.path(), &["start", "--name", "old", "sched"]);
    let about = folder.path().join("sessions/old/about");
    let text = std::fs::read_to_string(&about).unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    assert!(text.contains(boot.trim()));
    // SAFETY: kill takes numbers; the recorder is this test's.
    unsafe { libc::kill(recorder(folder.path()), libc::SIGKILL) };
    std::fs::write(&about, text.replace(boot.trim(), "another boot")).unwrap();
    until("the recorder is gone", || {
        fine(folder.path(), &["list"]).contains("ended by a restart of the machine")
    });
    let said = refused(folder.path(), &["stop", "old"]);
    assert!(
        said.contains("the machine was restarted while old was recorded"),
        "{said}"
    );
    assert!(refused(folder.path(), &["stop", "old"]).contains("no recording named old"));
    until("the settings are restored", || settings() == before);
}

#[test]
fn several_recordings_have_names_and_instances() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = Home::new();
    let before = settings();
    fine(folder.path(), &["start", "--name", "one", "sched"]);
    let busy = refused(folder.path(), &["start", "--name", "two", "irq"]);
    assert!(busy.contains("another recording is running"), "{busy}");
    let two = [
        "start",
        "--name",
        "two",
        "--instance",
        "test-two",
        "--ring",
        "600s",
        "irq",
    ];
    fine(folder.path(), &two);
    let list = fine(folder.path(), &["list"]);
    assert!(
        list.contains("one: recording") && list.contains("test-two: "),
        "{list}"
    );
    assert!(refused(folder.path(), &["stop"]).contains("name one: one, two"));
    let bad = refused(folder.path(), &["stop", "one", "-o", "missing/x.html"]);
    assert!(bad.contains("there is no folder "), "{bad}");
    fine(folder.path(), &["stop", "two", "-o", "two.dat"]);
    fine(folder.path(), &["stop", "one", "-o", "one.dat"]);
    for name in ["one.dat", "two.dat"] {
        open(&folder.path().join(name));
    }
    assert_eq!(settings(), before);
}

#[test]
fn a_recording_may_end_by_itself() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = Home::new();
    fine(
        folder.path(),
        &["start", "-o", "x.dat", "sched", "--", "sleep", "0.2"],
    );
    until("it ends", || {
        fine(folder.path(), &["list"]).contains("default: ended, written to ")
    });
    open(&folder.path().join("x.dat"));
    let elsewhere = refused(folder.path(), &["stop", "-o", "y.dat"]);
    assert!(
        elsewhere.contains("had ended by itself; its file is "),
        "{elsewhere}"
    );
    for (args, why) in [
        (
            &["start", "--live"][..],
            "--live needs a recording in the foreground",
        ),
        (&["start", "nonsense"], "unknown tracing category"),
        (
            &["start", "--name", "../x", "sched"],
            "cannot be the name of a recording",
        ),
        (&["start", "-o", "x.png", "sched"], "unknown ending"),
        (&["stop", "nothing"], "there is no recording named nothing"),
    ] {
        let said = refused(folder.path(), args);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    assert!(fine(folder.path(), &["list"]).starts_with("nothing is recorded"));
}
