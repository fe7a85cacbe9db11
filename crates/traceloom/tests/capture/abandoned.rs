//! Recordings of a device after its recorder was killed or lost the device.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::android::{on, with_device};
use crate::linux::settings;
use crate::raw::pushed;
use crate::work::{Running, naps, open, said};

/// Waits until the kernel's settings are as before.
pub fn wait_for(before: &[String]) {
    let until = Instant::now() + Duration::from_secs(60);
    while settings() != before {
        assert!(Instant::now() < until, "{:?} {before:?}", settings());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_recording() -> bool {
    std::fs::read_to_string("/sys/kernel/tracing/tracing_on").unwrap() == "1\n"
}

fn wait_until_stopped() {
    let until = Instant::now() + Duration::from_secs(60);
    while is_recording() {
        assert!(Instant::now() < until, "the device still records");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The files that the recorder left in its folder on the device.
fn left_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("traceloom-"))
        .collect()
}

#[test]
fn a_killed_recorder_leaves_nothing_on_the_device() {
    with_device(|device, folder| {
        // As on a device.
        std::fs::write("/sys/kernel/tracing/tracing_on", "0").unwrap();
        let before = settings();
        let ways: [&[&str]; 3] = [&[], &["--ring", "10s"], &["--raw"]];
        for how in ways {
            let agent = pushed(device, folder);
            let args = ["capture", &agent, "--collection-timeout", "1"];
            let args = [&args[..], how, &["-o", "x.html", "sched"]].concat();
            let mut command = on(device, folder, &args);
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            let running = Running::start(command);
            naps(2);
            assert_eq!(left_in(device.home()).len(), 1, "the agent is there");
            running.kill();
            wait_for(&before);
            let until = Instant::now() + Duration::from_secs(60);
            while !left_in(device.home()).is_empty() {
                assert!(Instant::now() < until, "{:?}", left_in(device.home()));
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
}

#[test]
fn an_abandoned_recording_is_fetched_or_removed() {
    with_device(|device, folder| {
        let before = settings();
        let run = |args: &[&str]| {
            let mut command = on(device, folder, &[&["capture"], args].concat());
            command.env("TRACELOOM_DEVICE_FOLDER", device.home());
            command
        };
        let abandon = || {
            let running = Running::start(run(&["-o", "x.html", "sched"]));
            naps(3);
            running.kill();
            wait_until_stopped();
        };
        abandon();
        let output = run(&["--resume", "-o", "resumed.txt"]).output().unwrap();
        assert!(output.status.success(), "{:?}", said(&output));
        let trace = open(&folder.join("resumed.txt"));
        assert!(trace.strings.lookup("nap 2").is_some());
        wait_for(&before);
        assert!(left_in(device.home()).is_empty());

        abandon();
        let output = run(&["-t", "1", "-o", "next.txt", "sched"])
            .output()
            .unwrap();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let removed = "An abandoned recording on the device was removed.";
        assert!(stderr.contains(removed), "{stderr}");
        assert!(
            open(&folder.join("next.txt"))
                .strings
                .lookup("nap 2")
                .is_none()
        );
        wait_for(&before);
        assert!(left_in(device.home()).is_empty());
    });
}

#[test]
fn a_lost_device_is_told_how_its_trace_is_fetched() {
    with_device(|device, folder| {
        let before = settings();
        let args = [
            "capture",
            "--collection-timeout",
            "1",
            "-o",
            "x.txt",
            "sched",
        ];
        let running = Running::start(on(device, folder, &args));
        device.unplug();
        let output = running.enter();
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(stderr.contains("traceloom capture --resume"), "{stderr}");
        wait_for(&before);
    });
}

#[test]
fn categories_that_no_device_has_are_an_error() {
    with_device(|device, folder| {
        let before = settings();
        for how in [&[][..], &["--ring", "1s"]] {
            let args = [&["systrace", "-t", "1"], how, &["nosuchcat"]].concat();
            let output = on(device, folder, &args).output().unwrap();
            let (_, stderr) = said(&output);
            assert_eq!(output.status.code(), Some(1), "{stderr}");
            assert!(
                stderr.contains("nosuchcat: this device has no such"),
                "{stderr}"
            );
            assert_eq!(settings(), before);
        }
    });
}

#[test]
fn limits_of_other_programs_are_reported() {
    const FILTER: &str = "/sys/kernel/tracing/events/sched/sched_switch/filter";
    const PIDS: &str = "/sys/kernel/tracing/set_event_pid";
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            _ = std::fs::write(FILTER, "0");
            _ = std::fs::File::create(PIDS);
        }
    }
    with_device(|device, folder| {
        let _reset = Reset;
        std::fs::write(FILTER, "prev_prio < 1").unwrap();
        std::fs::write(PIDS, "1").unwrap();
        for target in [
            &[][..],
            &["--target", "linux"],
            &["--target", "linux", "--raw"],
        ] {
            let args = [&["capture", "-t", "1", "-o", "x.html", "sched"], target].concat();
            let output = on(device, folder, &args).output().unwrap();
            let (_, stderr) = said(&output);
            assert!(output.status.success(), "{stderr}");
            for limit in ["sched_switch/filter", "prev_prio < 1", "set_event_pid"] {
                assert!(stderr.contains(limit), "{limit}: {stderr}");
            }
        }
    });
}

#[test]
fn categories_of_the_other_target_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for (target, option) in [
        ("android", "--ftrace-categories"),
        ("linux", "--atrace-categories"),
    ] {
        let args = [
            "capture",
            "--target",
            target,
            &format!("{option}=sched"),
            "-l",
        ];
        let mut command = crate::work::traceloom(folder.path(), &args);
        let output = command
            .env("ANDROID_ADB_SERVER_PORT", "1")
            .output()
            .unwrap();
        let (_, stderr) = said(&output);
        assert!(
            stderr.contains(&format!("{option} has no effect here")),
            "{stderr}"
        );
    }
}
