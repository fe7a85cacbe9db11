//! Recordings in several buffers.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use testkit::KernelTurn;

use crate::linux::settings;
use crate::load::{Load, Stopped, counted};
use crate::marks::Writer;
use crate::work::{Running, check_sleeper, open, said, sleeper, traceloom};

const INSTANCES: &str = "/sys/kernel/tracing/instances";
const LINUX: [&str; 3] = ["capture", "--target", "linux"];

fn instances() -> Vec<String> {
    let folders = std::fs::read_dir(INSTANCES).unwrap();
    let names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("traceloom-"))
        .collect()
}

/// The lines that trace-cmd prints of a file. `None` if it is not installed.
fn by_trace_cmd(file: &Path) -> Option<Vec<String>> {
    let output = Command::new("trace-cmd").arg("report").arg(file).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(said(&output).0.lines().map(str::to_owned).collect())
}

#[test]
fn all_buffers_are_on_one_time_line() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = settings();
    for name in ["x.dat", "x.html", "x.txt"] {
        let buffers = ["--buffer", "sched:4M", "--buffer", "timer,irq:512K"];
        let args = [
            &LINUX[..],
            &buffers,
            &["-b", "1024", "-t", "600", "-o", name],
        ]
        .concat();
        let mut command = traceloom(folder.path(), &args);
        command.stdin(Stdio::null());
        let running = Running::start(command);
        assert_eq!(instances().len(), 2);
        let writer = Writer::start();
        sleeper("several buffers");
        let marks = writer.end();
        let output = running.interrupt();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let file = folder.path().join(name);
        let trace = open(&file);
        if counted(&trace) == 0 {
            // Marks are in the main buffer, the sleeper's scheduling in another.
            check_sleeper(&trace, "several buffers");
            let has = |mark: usize| trace.strings.lookup(&format!("mark {mark}")).is_some();
            assert!((0..marks).all(has), "{stderr}");
        }
        assert!(trace.strings.lookup("hrtimer_start").is_some(), "{name}");
        if name == "x.dat"
            && let Some(lines) = by_trace_cmd(&file)
        {
            let in_buffer = |name: &str, event: &str| {
                let mut lines = lines.iter().filter(|line| line.contains(event));
                lines.all(|line| line.trim_start().starts_with(name))
            };
            assert!(in_buffer("sched:", ": sched_switch:"));
            assert!(in_buffer("timer,irq:", ": hrtimer_start:"));
        }
        assert_eq!((settings(), instances().len()), (before.clone(), 0));
    }
}

/// The kernel's count of lost events in the only additional buffer.
fn lost() -> u64 {
    let name = instances().pop().unwrap();
    let cpus = std::fs::read_dir(format!("{INSTANCES}/{name}/per_cpu")).unwrap();
    let stats = cpus.map(|cpu| std::fs::read_to_string(cpu.unwrap().path().join("stats")).unwrap());
    let lost = stats.map(|stats| {
        let mut lines = stats.lines();
        let count = lines
            .find_map(|line| line.strip_prefix("overrun: "))
            .unwrap();
        count.trim().parse::<u64>().unwrap()
    });
    lost.sum()
}

#[test]
fn each_buffer_counts_what_it_lost() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "--buffer",
        "sched:16K",
        "-b",
        "4096",
        "-t",
        "600",
        "-o",
        "x.dat",
    ];
    let mut command = traceloom(folder.path(), &[&LINUX[..], &args].concat());
    command.stdin(Stdio::null());
    let running = Running::start(command);
    // A recorder that runs keeps up with any load.
    let stopped = Stopped::new(running.pid());
    let load = Load::start();
    while lost() == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    drop((load, stopped));
    let kernel = lost();
    let output = running.interrupt();
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    let file = folder.path().join("x.dat");
    let trace = open(&file);
    assert!(counted(&trace) >= kernel, "{} of {kernel}", counted(&trace));
    let facts = &trace.metadata;
    let facts = facts.key.iter().zip(facts.value.iter());
    let facts = facts.filter(|(key, _)| trace.strings.get(*key) == "lost");
    let lines: Vec<&str> = facts.map(|(_, value)| trace.strings.get(value)).collect();
    let overrun: u64 = lines.iter().map(|line| overrun(line)).sum();
    assert_eq!(overrun, counted(&trace), "{lines:?}: {stderr}");
}

/// `buffer sched, CPU 0: overrun 12, …`
fn overrun(line: &str) -> u64 {
    let rest = line.strip_prefix("buffer sched, CPU ").unwrap();
    let (_, rest) = rest.split_once("overrun ").unwrap();
    rest.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn a_killed_recorder_leaves_no_buffers() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let before = settings();
    let args = [
        "--buffer", "sched:1M", "--buffer", "irq:1M", "-t", "600", "-o", "x.dat",
    ];
    Running::start(traceloom(folder.path(), &[&LINUX[..], &args].concat())).kill();
    while !instances().is_empty() || settings() != before {
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn wrong_buffers_are_refused_before_the_recording() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> Output {
        traceloom(folder.path(), &[&LINUX[..], &["-t", "1"], args].concat())
            .output()
            .unwrap()
    };
    for (args, why) in [
        (
            &["--buffer", "nope:1M"][..],
            "no category or event of this name",
        ),
        (&["--buffer", "sched"], "is not a buffer; write 'sched:64M'"),
        (&["--buffer", "sched:0"], "is not a buffer"),
        (&["--buffer", "sched:1M", "sched"], "sched is chosen twice"),
        (
            &["--buffer", "sched:1M", "--buffer", "irq,sched:1M"],
            "sched is chosen twice",
        ),
        (
            &["--buffer", "sched:1M", "--event", "sched:sched_switch"],
            "sched/sched_switch would be recorded twice: in the main buffer and in --buffer sched",
        ),
        (&["--buffer", "sched:900G"], "choose smaller buffers"),
        (
            &["--buffer", "sched:1M", "--ring", "1s"],
            "--buffer cannot be combined with",
        ),
        (
            &["--buffer", "sched:1M", "-o", "x.dat", "--raw-version", "7"],
            "version 6",
        ),
    ] {
        let output = run(args);
        let (_, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(why), "{args:?}: {stderr}");
        assert!(!stderr.contains("Starting"), "{stderr}");
    }
    assert_eq!(instances().len(), 0);
}
