//! What a recording leaves behind: nothing, however it ends.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};

use crate::kernel::{self, Kernel, Settings};
use crate::program::{Device, Program, original, said, wait_until_recording};
use crate::workload::Marker;

/// Settings as somebody likes them, to find again.
fn unusual(kernel: &Kernel) -> Settings {
    kernel::write("tracing_on", "1");
    kernel::write("trace_clock", "mono");
    kernel::write("buffer_size_kb", "512");
    kernel::write("options/overwrite", "0");
    kernel::write("events/sched/sched_switch/enable", "1");
    kernel::write("events/timer/timer_start/enable", "1");
    kernel.settings()
}

/// Starts a recording of ten minutes and waits until it runs.
fn start(device: &Device, program: Program, args: &[&str]) -> Child {
    let mut child = device.start(
        program,
        &[args, &["-t", "600", "sched", "irq", "gfx"]].concat(),
    );
    wait_until_recording(&mut child);
    child
}

fn send(child: &Child, signal: libc::c_int) {
    // SAFETY: kill of our own child, which was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
}

#[test]
fn success_leaves_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let before = unusual(&kernel);
    for args in [
        &["-t", "0", "sched", "gfx"][..],
        &["--raw", "-t", "0", "irq"],
        &["-z", "-t", "0"],
    ] {
        let said = device.run(Program::Ours, args);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert_eq!(kernel.settings(), before, "{args:?}");
        assert!(device.properties().is_empty());
    }
}

#[test]
fn signals_leave_nothing_and_say_what_the_original_says() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        let (mut ends, mut recording) = (Vec::new(), Vec::new());
        for program in [Program::Ours, Program::Compat, Program::Original] {
            if program == Program::Original && original().is_none() {
                continue;
            }
            kernel.reset();
            device.reset();
            let before = unusual(&kernel);
            let child = start(&device, program, &[]);
            recording.push(kernel.settings());
            send(&child, signal);
            let end = said(child);
            assert_eq!(end.code, Some(1));
            if program == Program::Ours {
                assert_eq!(kernel.settings(), before);
                assert!(device.properties().is_empty());
            }
            ends.push(end);
        }
        assert_eq!(recording[0]["options/overwrite"], "0");
        assert!(
            recording.iter().all(|settings| *settings == recording[0]),
            "{recording:?}"
        );
        for end in &ends {
            assert_eq!((end, end.stdout.as_str()), (&ends[0], "\ntrace aborted.\n"));
        }
    }
}

#[test]
fn ignored_signals_end_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut child = device.start(Program::Ours, &["-n", "-t", "1", "irq"]);
    wait_until_recording(&mut child);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        send(&child, signal);
    }
    let end = said(child);
    assert_eq!(
        (end.code, end.stdout.as_str()),
        (Some(0), " done\nTRACE:\n")
    );
    assert_eq!(kernel.settings(), *kernel.baseline());
}

#[test]
fn a_killed_recorder_leaves_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    for args in [&[][..], &["--raw", "-o", "/dev/null"], &["--compat"]] {
        kernel.reset();
        let before = unusual(&kernel);
        let mut child = start(&device, Program::Ours, args);
        assert_ne!(kernel.settings(), before);
        send(&child, libc::SIGKILL);
        child.wait().unwrap();
        kernel.wait_for(&before);
    }
    wait_for_no_properties(&device);
}

/// What the next recorder finds is what was there before, also where the guardian of one that died is slow; with
/// `--compat` too, which lets nobody wait that is alive.
#[test]
fn the_next_waits_for_the_guardian() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    device.slow_down_putting_back();
    let before = unusual(&kernel);
    for args in [&[][..], &["--compat"], &["--compat"], &[]] {
        let mut child = start(&device, Program::Ours, args);
        send(&child, libc::SIGKILL);
        child.wait().unwrap();
    }
    kernel.wait_for(&before);
    wait_for_no_properties(&device);
}

/// The guardian puts the properties back last of all.
fn wait_for_no_properties(device: &Device) {
    for _ in 0..500 {
        if device.properties().is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{:?}", device.properties());
}

#[test]
fn a_killed_recorder_leaves_no_instance() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut child = start(&device, Program::Ours, &["--instance", "test-one"]);
    let folder = kernel::path("instances/test-one");
    assert!(folder.exists());
    send(&child, libc::SIGKILL);
    child.wait().unwrap();
    for _ in 0..500 {
        if !folder.exists() {
            return assert_eq!(kernel.settings(), *kernel.baseline());
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the instance is still there");
}

/// The whole session dies, as when adb goes: the guardian is in none.
#[test]
fn a_killed_session_leaves_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut command = device.command(Program::Ours, &["-t", "600", "sched"]);
    let mut child = std::os::unix::process::CommandExt::process_group(&mut command, 0)
        .spawn()
        .unwrap();
    wait_until_recording(&mut child);
    let group = -(child.id() as libc::pid_t);
    // SAFETY: the group is our child's own.
    let sent = unsafe { libc::kill(group, libc::SIGKILL) };
    assert_eq!(sent, 0);
    child.wait().unwrap();
    kernel.wait_for(kernel.baseline());
}

/// Two in one buffer would take each other's events.
#[test]
fn a_second_recording_is_refused_and_takes_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut first = start(&device, Program::Ours, &[]);
    let recording = kernel.settings();
    let second = device.run(Program::Ours, &["-t", "0", "irq"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    let who = format!(
        "another recording is running (atrace, process {}), ",
        first.id()
    );
    assert!(second.stderr.starts_with(&who), "{second:?}");
    assert_eq!(kernel.settings(), recording);
    let instance = ["--instance", "second", "-t", "0", "irq"];
    assert_eq!(device.run(Program::Ours, &instance).code, Some(0));
    assert!(first.try_wait().unwrap().is_none(), "the first goes on");
    // Killed, it still has its turn until the guardian has put everything back.
    first.kill().unwrap();
    first.wait().unwrap();
    kernel.wait_for(kernel.baseline());
    let next = device.run(Program::Ours, &["-t", "0", "irq"]);
    assert_eq!(next.code, Some(0), "{next:?}");
}

#[test]
fn a_full_disk_leaves_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let before = unusual(&kernel);
    for args in [&["-t", "0"][..], &["-z", "-t", "0"], &["--raw", "-t", "0"]] {
        let args = [args, &["-o", "/dev/full", "sched"]].concat();
        let said = device.run(Program::Ours, &args);
        assert_eq!(
            (said.code, said.stderr.as_str()),
            (Some(1), "error writing trace: No space left on device (28)")
        );
        assert_eq!(kernel.settings(), before);
    }
    // What cannot be written is said before the recording, and nothing is taken from a file.
    let folder = device.path("no/such/folder/trace");
    let said = device.run(
        Program::Ours,
        &["-t", "600", "-o", folder.to_str().unwrap()],
    );
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(
        said.stderr.contains("No such file or directory (2)"),
        "{said:?}"
    );
}

/// The reader of a recording goes before its end: the shell on the host was closed.
#[test]
fn a_reader_that_goes_ends_the_recording() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    for args in [&[][..], &["-n"]] {
        let mut child = start(&device, Program::Ours, args);
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(1));
        assert_eq!(kernel.settings(), *kernel.baseline());
    }
}

#[test]
fn the_second_start_keeps_what_was_before_the_first() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let before = unusual(&kernel);
    device.run(Program::Ours, &["--async_start", "sched"]);
    device.run(Program::Ours, &["--async_start", "irq", "-b", "300"]);
    assert!(!kernel.settings()["events"].contains("sched_switch"));
    // As systrace did to reset a device.
    device.run(Program::Ours, &["-t", "0"]);
    assert_eq!(kernel.settings(), before);
    assert!(fs::metadata("/run/traceloom-atrace").is_err());
}

/// The original started it, so nobody knows what there was: its own defaults are left.
#[test]
fn the_originals_recording_is_stopped_as_it_would_stop_it() {
    if original().is_none() {
        return;
    }
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut left = Vec::new();
    for program in [Program::Original, Program::Ours] {
        kernel.reset();
        device.run(Program::Original, &["--async_start", "sched", "gfx"]);
        assert!(device.run(program, &["--async_stop"]).trace.is_some());
        left.push((kernel.settings(), device.properties()));
    }
    assert_eq!(left[0], left[1]);
}

/// The guardian holds no file of the shell: a shell that waits for its output's end gets it.
#[test]
fn nobody_waits_for_the_guardian() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut command = device.command(Program::Ours, &["-t", "600", "irq"]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    wait_until_recording(&mut child);
    let mut stdout = child.stdout.take().unwrap();
    send(&child, libc::SIGKILL);
    child.wait().unwrap();
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    kernel.wait_for(kernel.baseline());
}

/// A file system of 256 KB, mounted until it is dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=256k", "none"])
            .arg(folder.path());
        assert!(mount.status().unwrap().success());
        Self(folder)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_disk_that_fills_while_recording_leaves_nothing() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let disk = SmallDisk::mount();
    let file = disk.0.path().join("trace.dat");
    let args = ["--raw", "-o", file.to_str().unwrap(), "-b", "64"];
    let child = start(&device, Program::Ours, &args);
    let mut marker = Marker::open();
    // The last ones find the recording stopped.
    while marker.try_put(&"x".repeat(1_000)) {}
    let end = said(child);
    let no_space = "error writing trace: No space left on device (28)";
    assert_eq!((end.code, end.stderr.as_str()), (Some(1), no_space));
    kernel.wait_for(kernel.baseline());
}
