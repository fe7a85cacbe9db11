//! A device with Perfetto's own service, its recorder of the kernel, and its `perfetto`, built for this machine.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use testkit::{Loopback, device_part};

use crate::android::{on, with_device};
use crate::linux::settings;
use crate::load::Stopped;
use crate::marks::SharedBufferOn;
use crate::work::{Running, check_sleeper_of_perfetto, naps, open, said, sleeper_beside_work};

const TRACEFS: &str = "/sys/kernel/tracing";

/// The service and its recorder, which end with the test.
struct Service(Vec<Child>);

impl Drop for Service {
    fn drop(&mut self) {
        for child in self.0.iter_mut().rev() {
            // SAFETY: kill takes numbers; the child is ours and not yet waited for.
            unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
            _ = child.wait();
        }
    }
}

fn sockets(device: &Loopback) -> [(&'static str, PathBuf); 2] {
    let socket = |name: &str| device.home().join(name);
    [
        ("PERFETTO_CONSUMER_SOCK_NAME", socket("consumer")),
        ("PERFETTO_PRODUCER_SOCK_NAME", socket("producer")),
    ]
}

/// Whether the service knows the recorder of the kernel. On a device, both run since it was switched on.
fn has_kernel(device: &Loopback) -> bool {
    let mut query = Command::new(device_part("perfetto"));
    let output = query.arg("--query").envs(sockets(device)).output().unwrap();
    said(&output).0.contains("linux.ftrace")
}

/// The old values of the kernel settings that Perfetto changes and does not restore.
struct Unrestored([(&'static str, String); 2]);

impl Unrestored {
    fn new() -> Self {
        let read = |file| std::fs::read_to_string(format!("{TRACEFS}/{file}")).unwrap();
        let clock = read("trace_clock");
        let (_, clock) = clock.split_once('[').unwrap();
        let clock = clock.split(']').next().unwrap().to_owned();
        let size = read("buffer_size_kb");
        let size = size.split_whitespace().next().unwrap().to_owned();
        Self([("trace_clock", clock), ("buffer_size_kb", size)])
    }
}

impl Drop for Unrestored {
    fn drop(&mut self) {
        for (file, value) in &self.0 {
            std::fs::write(format!("{TRACEFS}/{file}"), value).unwrap();
        }
    }
}

/// Waits until nothing is recorded any more: no event is enabled, and recording is on or off as `before`.
fn wait_until_stopped(before: &[String]) {
    let until = Instant::now() + Duration::from_secs(60);
    // The events, and whether recording is on.
    while [1, 3].iter().any(|&at| settings()[at] != before[at]) {
        assert!(Instant::now() < until, "{:?} {before:?}", settings());
        thread::sleep(Duration::from_millis(20));
    }
}

impl Service {
    fn start(device: &Loopback) -> Self {
        let mut service = Self(Vec::new());
        for program in ["traced", "traced_probes"] {
            let mut command = Command::new(device_part(program));
            command.envs(sockets(device)).stdout(Stdio::null());
            let child = command.stderr(Stdio::null()).spawn();
            service
                .0
                .push(child.expect("a part of a device that starts"));
        }
        let until = Instant::now() + Duration::from_secs(60);
        while !has_kernel(device) {
            assert!(Instant::now() < until, "Perfetto's service does not start");
            thread::sleep(Duration::from_millis(20));
        }
        service
    }

    /// The process that records the kernel.
    fn probes(&self) -> u32 {
        self.0[1].id()
    }
}

/// Runs a test with a device on which Perfetto runs; prints a message if it was not built.
fn with_service(test: impl FnOnce(&mut Loopback, &Path, &Service)) {
    let parts = ["perfetto", "traced", "traced_probes"];
    if let Some(missing) = parts.iter().find(|part| !device_part(part).is_file()) {
        println!("skipped: no {missing} was built (cargo xtask device perfetto)");
        return;
    }
    with_device(|device, folder| {
        let sockets = sockets(device).map(|(name, path)| format!("{name}='{}'", path.display()));
        let perfetto = device_part("perfetto");
        let script = format!("{} exec '{}' \"$@\"", sockets.join(" "), perfetto.display());
        device.install("perfetto", &script).unwrap();
        let _unrestored = Unrestored::new();
        let service = Service::start(device);
        test(device, folder, &service);
    });
}

fn capture(device: &Loopback, folder: &Path, args: &[&str]) -> Command {
    let mut command = on(device, folder, &[&["capture"], args].concat());
    command.env("TRACELOOM_DEVICE_FOLDER", device.home());
    command
}

fn left(device: &Loopback) -> usize {
    let entries = std::fs::read_dir(device.home()).unwrap().flatten();
    let is_left = |name: String| name.starts_with("traceloom-");
    entries
        .filter(|entry| is_left(entry.file_name().into_string().unwrap()))
        .count()
}

#[test]
fn a_recording_has_what_the_kernel_and_programs_did() {
    with_service(|device, folder, _| {
        let before = settings();
        for (output, ends) in [("out.pftrace", "enter"), ("out.html", "interrupt")] {
            let args = ["--perfetto", "-o", output, "sched", "freq"];
            let running = Running::start(capture(device, folder, &args));
            sleeper_beside_work("with perfetto");
            let output_of = match ends {
                "enter" => running.enter(),
                _ => running.interrupt(),
            };
            let (_, stderr) = said(&output_of);
            assert!(output_of.status.success(), "{stderr}");
            assert!(!stderr.contains("Warning"), "{stderr}");
            check_sleeper_of_perfetto(&open(&folder.join(output)), "with perfetto");
            assert_eq!(left(device), 0, "nothing stays on the device");
        }
        wait_until_stopped(&before);
    });
}

/// The kernel may already be recording when perfetto acknowledges, while its kernel recorder starts
/// later. The program must wait for it: work before the events are enabled would be missing.
#[test]
fn a_recording_begins_when_a_slow_recorder_has_started() {
    with_service(|device, folder, service| {
        let _on = SharedBufferOn::new();
        let stopped = Stopped::new(service.probes());
        let late = thread::spawn(move || {
            thread::sleep(Duration::from_secs(8));
            drop(stopped);
        });
        let args = ["--perfetto", "-o", "out.pftrace", "sched"];
        let running = Running::start(capture(device, folder, &args));
        sleeper_beside_work("slow recorder");
        let output = running.enter();
        late.join().unwrap();
        assert!(output.status.success(), "{:?}", said(&output));
        check_sleeper_of_perfetto(&open(&folder.join("out.pftrace")), "slow recorder");
    });
}

#[test]
fn it_accepts_our_configuration_as_text_and_names_what_is_wrong_with_another() {
    with_service(|device, folder, _| {
        let print = [
            "--perfetto",
            "--print-config",
            "--logcat",
            "-t",
            "1",
            "-a",
            "a.b",
        ];
        let printed = capture(device, folder, &[&print[..], &["sched", "view"]].concat());
        let printed = { printed }.output().unwrap();
        assert!(printed.status.success(), "{:?}", said(&printed));
        std::fs::write(folder.join("mine.pbtx"), &printed.stdout).unwrap();
        let args = ["--perfetto", "--config", "mine.pbtx", "-o", "out.pftrace"];
        let running = Running::start(capture(device, folder, &args));
        sleeper_beside_work("as configured");
        let output = running.enter();
        assert!(output.status.success(), "{:?}", said(&output));
        check_sleeper_of_perfetto(&open(&folder.join("out.pftrace")), "as configured");

        std::fs::write(folder.join("mine.pbtx"), "buffers { size: 1 }\n").unwrap();
        let output = capture(device, folder, &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let (_, stderr) = said(&output);
        assert!(stderr.contains("No field named \"size\""), "{stderr}");
        assert_eq!(left(device), 0);
    });
}

#[test]
fn a_killed_recorder_loses_nothing() {
    with_service(|device, folder, _| {
        let before = settings();
        let args = ["--perfetto", "-o", "out.html", "sched"];
        let running = Running::start(capture(device, folder, &args));
        naps(3);
        running.kill();
        // The guardian ends the recording.
        wait_until_stopped(&before);
        let args = ["--resume", "-o", "resumed.html"];
        let output = capture(device, folder, &args).output().unwrap();
        assert!(output.status.success(), "{:?}", said(&output));
        let trace = open(&folder.join("resumed.html"));
        assert!(trace.strings.lookup("nap 2").is_some());
        assert_eq!(left(device), 0);
    });
}
