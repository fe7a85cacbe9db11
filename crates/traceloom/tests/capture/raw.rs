//! Pages instead of text, from this machine and a device, as read by trace-cmd and by traceloom.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use testkit::{KernelTurn, Loopback};

use crate::android::{on, with_device};
use crate::linux::settings;
use crate::work::{SLEEPS, TRACELOOM, check_sleeper, open, record, said, sleeper, traceloom};

/// Checks trace-cmd's report of a file: each nap begins and ends once.
fn check_report(path: &Path) {
    let mut command = Command::new("trace-cmd");
    let Ok(output) = command.args(["report", "-i"]).arg(path).output() else {
        println!("skipped: trace-cmd is not installed");
        return;
    };
    let (text, complaint) = said(&output);
    assert!(
        output.status.success() && complaint.is_empty(),
        "{complaint}"
    );
    for number in 0..SLEEPS {
        let begins = format!("|nap {number}");
        let lines = text.lines().filter(|line| line.ends_with(&begins));
        assert_eq!(lines.count(), 1, "nap {number}");
    }
    assert!(text.contains(": sched_switch:"));
}

#[test]
fn this_machine_in_every_form() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = settings();
    let cases: [(&str, &[&str]); 7] = [
        ("6.dat", &[]),
        ("7.dat", &["--raw-version", "7"]),
        ("zstd.dat", &["--raw-compression", "zstd"]),
        ("zlib.dat", &["--raw-compression", "zlib"]),
        ("trace.html", &["--raw"]),
        ("trace.txt", &["--raw"]),
        ("trace.json", &["--raw"]),
    ];
    for (name, more) in cases {
        let args = ["capture", "--target", "linux", "-o", name, "sched", "irq"];
        let args = [&args, more].concat();
        let output = record(traceloom(folder.path(), &args), || sleeper("raw sleeper"));
        assert!(output.status.success(), "{name}: {}", said(&output).1);
        let path = folder.path().join(name);
        check_sleeper(&open(&path), "raw sleeper");
        if name.ends_with(".dat") && name != "zlib.dat" {
            check_report(&path);
        }
        assert_eq!(settings(), before, "{name}: {}", said(&output).1);
    }
    let left = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(left.count(), cases.len(), "nothing but the results");
}

/// The data becomes the result without a copy. It replaces an old file, also behind a link.
#[test]
fn the_result_takes_the_place_of_an_old_one() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    for name in ["link.dat", "link.txt"] {
        let (link, file) = (folder.path().join(name), other.path().join(name));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let args = ["capture", "--target", "linux", "-o", name, "sched"];
        let output = record(traceloom(folder.path(), &args), || sleeper("linked"));
        assert!(output.status.success(), "{}", said(&output).1);
        assert!(link.is_symlink());
        check_sleeper(&open(&file), "linked");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o600, 0o600);
    }
    let left = std::fs::read_dir(other.path()).unwrap();
    assert_eq!(left.count(), 2, "nothing but the results");

    let args = [
        "capture", "--target", "linux", "-t", "1", "-o", "no/x.dat", "sched",
    ];
    let output = traceloom(folder.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let (_, stderr) = said(&output);
    assert!(
        stderr.contains("cannot write no/x.dat: there is no folder no"),
        "{stderr}"
    );
}

#[test]
fn what_does_not_go_with_pages_is_refused() {
    let cases: [(&[&str], &str); 5] = [
        (&["--raw-version", "7", "-o", "x.txt"], "are for --raw"),
        (
            &["--ring", "5s", "-o", "x.dat", "--raw-version", "7"],
            "write version 6 of trace.dat",
        ),
        (
            &[
                "-o",
                "x.dat",
                "--raw-version",
                "6",
                "--raw-compression",
                "zlib",
            ],
            "has no compression",
        ),
        (
            &["-o", "x.dat", "--from-file", "y.txt"],
            "it cannot convert a file",
        ),
        (&["--raw", "--raw-version", "8"], "[possible values: 6, 7]"),
    ];
    for (args, words) in cases {
        let args = [&["capture", "--target", "linux"], args].concat();
        let output = traceloom(Path::new("."), &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}

#[test]
fn a_device_that_has_our_atrace() {
    with_device(|device, folder| {
        for name in ["trace.dat", "trace.html"] {
            let args = ["capture", "--raw", "-o", name, "sched", "nonsense"];
            let output = record(on(device, folder, &args), || sleeper("device sleeper"));
            let (_, stderr) = said(&output);
            assert!(output.status.success(), "{stderr}");
            assert!(stderr.contains("unavailable: nonsense"), "{stderr}");
            check_sleeper(&open(&folder.join(name)), "device sleeper");
            nothing_is_recorded();
        }
        check_report(&folder.join("trace.dat"));
    });
}

#[test]
fn a_device_that_gets_our_atrace() {
    with_device(|device, folder| {
        std::fs::remove_file(device.home().join("bin/atrace")).unwrap();
        let help = "echo 'usage: atrace [options] [categories...]' >&2";
        device.install("atrace", help).unwrap();
        let output = on(
            device,
            folder,
            &["capture", "--raw", "-o", "no.dat", "sched"],
        )
        .output();
        let (_, stderr) = said(&output.unwrap());
        insta::assert_snapshot!(stderr, @r"
        traceloom: the atrace on this device records text only, not the kernel's pages
          add --push-agent to record them with traceloom's own atrace, which is removed afterwards
        ");

        let run = |args: &[&str]| {
            let mut command = on(device, folder, args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            record(command, || sleeper("pushed"))
        };
        let option = pushed(device, folder);
        let args = ["capture", &option, "--raw", "--raw-compression", "zstd"];
        let output = run(&[&args[..], &["-o", "pushed.dat", "sched"]].concat());
        assert!(output.status.success(), "{:?}", said(&output));
        check_sleeper(&open(&folder.join("pushed.dat")), "pushed");
        check_report(&folder.join("pushed.dat"));
        nothing_is_recorded();
    });
}

/// A program that acts as atrace whatever the name of its copy.
pub fn pushed(_: &Loopback, folder: &Path) -> String {
    let program = folder.join("atrace");
    let script = format!("#!/bin/sh\nexec {TRACELOOM} atrace \"$@\"\n");
    std::fs::write(&program, script).unwrap();
    format!("--push-agent={}", program.display())
}

#[test]
fn a_device_that_goes_while_it_records_pages() {
    with_device(|device, folder| {
        let args = ["capture", "--raw", "-o", "gone.dat", "sched"];
        let running = crate::work::Running::start(on(device, folder, &args));
        device.unplug();
        let output = running.enter();
        assert_eq!(output.status.code(), Some(2), "{:?}", said(&output));
        let (_, stderr) = said(&output);
        assert!(!stderr.contains("panicked"), "{stderr}");
        let begun = std::time::Instant::now();
        while !is_off() {
            assert!(begun.elapsed().as_secs() < 60, "the device still records");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    });
}

fn is_off() -> bool {
    std::fs::read_to_string("/sys/kernel/tracing/set_event").unwrap() == ""
}

fn nothing_is_recorded() {
    assert!(is_off(), "all events are off again");
}
