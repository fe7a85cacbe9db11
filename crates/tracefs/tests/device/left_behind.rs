//! A recording restores all settings, however it ends.

use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};

use crate::kernel::{self, Kernel, Settings};
use crate::program::{Device, Program, original, said, wait_until_recording};

/// Changes the settings to unusual values, which a recording must restore.
pub fn unusual(kernel: &Kernel) -> Settings {
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

pub fn send(child: &Child, signal: libc::c_int) {
    // SAFETY: the child has not been waited for, so its ID is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
}

#[test]
fn a_successful_recording_restores_everything() {
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
fn a_signal_restores_everything_and_prints_the_originals_message() {
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
fn ignored_signals_do_not_end_the_recording() {
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
fn the_settings_of_a_killed_recorder_are_restored() {
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

/// The next recorder finds the settings from before, even if the guardian of a killed recorder is slow. This also holds
/// for `--compat`, which does not wait for live recorders.
#[test]
fn the_next_recorder_waits_for_the_guardian() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    device.slow_down_restoring();
    let before = unusual(&kernel);
    for args in [&[][..], &["--compat"], &["--compat"], &[]] {
        let mut child = start(&device, Program::Ours, args);
        send(&child, libc::SIGKILL);
        child.wait().unwrap();
    }
    kernel.wait_for(&before);
    wait_for_no_properties(&device);
}

/// Waits until the guardian has restored the properties, which it does last.
fn wait_for_no_properties(device: &Device) {
    kernel::wait_until(|| device.properties().is_empty());
    assert!(device.properties().is_empty(), "{:?}", device.properties());
}

#[test]
fn the_instance_of_a_killed_recorder_is_removed() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let mut child = start(&device, Program::Ours, &["--instance", "test-one"]);
    let folder = kernel::path("instances/test-one");
    assert!(folder.exists());
    send(&child, libc::SIGKILL);
    child.wait().unwrap();
    kernel::wait_until(|| !folder.exists());
    assert!(!folder.exists(), "the instance still exists");
    assert_eq!(kernel.settings(), *kernel.baseline());
}

/// The whole process group is killed, as when adb disconnects. The guardian is not part of it.
#[test]
fn the_guardian_survives_a_killed_process_group() {
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
    // SAFETY: the process group only has our child.
    let sent = unsafe { libc::kill(group, libc::SIGKILL) };
    assert_eq!(sent, 0);
    child.wait().unwrap();
    kernel.wait_for(kernel.baseline());
}

/// Two recordings of one buffer would take each other's events.
#[test]
fn a_second_recording_is_refused_and_changes_nothing() {
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
    assert!(
        first.try_wait().unwrap().is_none(),
        "the first recording continues"
    );
    // After it is killed, its guardian holds the lock until everything is restored.
    first.kill().unwrap();
    first.wait().unwrap();
    kernel.wait_for(kernel.baseline());
    let next = device.run(Program::Ours, &["-t", "0", "irq"]);
    assert_eq!(next.code, Some(0), "{next:?}");
}

/// The reader of the output goes away during the recording, as when the shell on the host is closed.
#[test]
fn the_recording_ends_with_its_reader() {
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
fn a_second_start_keeps_the_settings_from_before_the_first() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let before = unusual(&kernel);
    device.run(Program::Ours, &["--async_start", "sched"]);
    device.run(Program::Ours, &["--async_start", "irq", "-b", "300"]);
    assert!(!kernel.settings()["events"].contains("sched_switch"));
    // systrace did this to reset a device.
    device.run(Program::Ours, &["-t", "0"]);
    assert_eq!(kernel.settings(), before);
    assert!(fs::metadata("/run/traceloom-atrace").is_err());
}

/// The original started the recording, so the old settings are unknown. Both set the original's defaults.
#[test]
fn a_recording_of_the_original_is_stopped_like_the_original_does() {
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

/// The guardian closes the output, so a shell that reads it until its end does not wait for the guardian.
#[test]
fn the_output_ends_with_the_recorder() {
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
