//! `--raw`: trace-cmd must be able to read the file, and find the same events as in the text.

use std::fs;
use std::process::Command;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::RepairKind;

use crate::kernel::Kernel;
use crate::program::{Device, Program, wait_until_recording};
use crate::workload::{self, Marker};

/// Runs a program, so the caller must hold the kernel's lock: the child would inherit a script that
/// another test is writing, and a script that is open for writing cannot be executed.
fn have_trace_cmd() -> bool {
    let there = Command::new("trace-cmd").arg("--version").output().is_ok();
    if !there {
        println!("skipped: trace-cmd is not installed");
    }
    there
}

fn report(device: &Device, file: &str) -> String {
    let output = Command::new("trace-cmd")
        .args(["report", "-i"])
        .arg(device.path(file))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn trace_cmd_finds_all_events() {
    const MARKS: usize = 2_000;
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    if !have_trace_cmd() {
        return;
    }
    let device = Device::new();
    let file = device.path("trace.dat");
    let args = [
        "--raw",
        "--stream",
        "-o",
        file.to_str().unwrap(),
        "-b",
        "4096",
        "sched",
        "irq",
        "workq",
    ];
    let mut child = device.start(Program::Ours, &args);
    wait_until_recording(&mut child);
    let sleeps = workload::sleeps(10);
    workload::work_of_the_kernel();
    let mut marker = Marker::open();
    for number in 0..MARKS {
        marker.put(&format!("I|1|mark {number}"));
    }
    // SAFETY: the child has not been waited for, so its ID is still its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(kernel.settings(), *kernel.baseline());

    let text = report(&device, "trace.dat");
    let marks = text
        .lines()
        .filter_map(|line| line.split_once("I|1|mark ")?.1.parse::<usize>().ok());
    assert!(marks.eq(0..MARKS), "marks are missing or not in order");
    // trace-cmd prints times of the clock `boot` in nanoseconds.
    let begin = text.lines().find(|line| line.contains("|sleep 0")).unwrap();
    let ts = begin
        .split_once(']')
        .unwrap()
        .1
        .split_once(':')
        .unwrap()
        .0
        .trim();
    let ts: i64 = ts.replace('.', "").parse().unwrap();
    assert!(
        (sleeps[0].begin.0..=sleeps[0].begin.1).contains(&ts),
        "{begin}"
    );
    assert!(text.contains("sleeper") && text.contains(": sched_switch:"));
    // Names of work functions need the kernel's symbols.
    assert!(text.contains("workqueue_execute_start") && text.contains("function "));
}

#[test]
fn a_buffer_is_dumped_as_pages_too() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    if !have_trace_cmd() {
        return;
    }
    let device = Device::new();
    let path = |name: &str| device.path(name).to_str().unwrap().to_owned();
    device.run(Program::Ours, &["--async_start", "-b", "4096", "sched"]);
    kernel.mark("I|1|first");
    device.run(
        Program::Ours,
        &["--raw", "--async_dump", "-o", &path("first.dat")],
    );
    kernel.mark("I|1|second");
    let output = device
        .command(Program::Ours, &["--raw", "--async_stop"])
        .output()
        .unwrap();
    fs::write(path("second.dat"), output.stdout).unwrap();
    assert_eq!(kernel.settings(), *kernel.baseline());
    let (first, second) = (report(&device, "first.dat"), report(&device, "second.dat"));
    assert!(first.contains("I|1|first") && !first.contains("I|1|second"));
    assert!(second.contains("I|1|second") && !second.contains("I|1|first"));
}

#[test]
fn lost_events_are_reported() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let file = device.path("trace.dat");
    let args = [
        "--raw",
        "--stream",
        "-b",
        "64",
        "-o",
        file.to_str().unwrap(),
    ];
    let mut child = device.start(Program::Ours, &args);
    wait_until_recording(&mut child);
    let signal = |number| {
        // SAFETY: the child has not been waited for, so its ID is still its own.
        unsafe { libc::kill(child.id() as libc::pid_t, number) };
    };
    // A stopped recorder does not read pages.
    signal(libc::SIGSTOP);
    let mut marker = Marker::open();
    // When the buffer is full, the kernel refuses marks and counts them.
    for number in 0..10_000 {
        _ = marker.try_put(&format!("I|1|mark {number}"));
    }
    signal(libc::SIGINT);
    signal(libc::SIGCONT);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(kernel.settings(), *kernel.baseline());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lost = said.split_once(" events were lost: use a larger buffer (-b)");
    let lost: usize = lost.unwrap_or_else(|| panic!("{said}")).0.parse().unwrap();
    let trace = read_bytes(&fs::read(file).unwrap(), ReadOptions::default()).unwrap();
    let losses = [RepairKind::LostEvents, RepairKind::BufferOverflow];
    let repairs = trace.repairs.rows().iter();
    let repairs = repairs.filter(|row| losses.contains(&row.kind));
    let in_file: usize = repairs.map(|row| row.count as usize).sum();
    assert!(
        lost > 1_000 && in_file == lost,
        "{lost} events were lost, the file has {in_file}"
    );
}

/// Whether the installed trace-cmd was built with a compression.
fn trace_cmd_knows(compression: &str) -> bool {
    let output = Command::new("trace-cmd").args(["list", "-c"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let known = compression == "none" || text.unwrap_or_default().contains(compression);
    if !known {
        println!("skipped: this trace-cmd has no {compression}; only our reader was tested");
    }
    known
}

#[test]
fn version_7_plain_and_compressed() {
    const MARKS: usize = 5_000;
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    if !have_trace_cmd() {
        return;
    }
    let device = Device::new();
    let mut sizes = Vec::new();
    for compression in ["none", "zlib", "zstd"] {
        device.run(Program::Ours, &["--async_start", "-b", "4096", "sched"]);
        let mut marker = Marker::open();
        (0..MARKS).for_each(|number| marker.put(&format!("I|1|mark {number}")));
        let file = device.path(compression);
        let args = [
            "--raw",
            "--async_stop",
            "--raw_version=7",
            "--raw_compression",
            compression,
            "-o",
            file.to_str().unwrap(),
        ];
        assert_eq!(device.run(Program::Ours, &args).code, Some(0));
        assert_eq!(kernel.settings(), *kernel.baseline());
        let bytes = fs::read(&file).unwrap();
        assert!(bytes.starts_with(b"\x17\x08\x44tracing7\0"));
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        // The kernel may not know the process of threads that ended early. That is not damage.
        let file_is_whole = |kind| {
            use RepairKind::{BadField, BrokenBlock, LostEvents, TornRecord};
            !matches!(kind, BadField | BrokenBlock | LostEvents | TornRecord)
        };
        let mut repairs = trace.repairs.rows().iter();
        assert!(repairs.all(|row| file_is_whole(row.kind)));
        let instants = trace.slices.instants();
        let mut names = instants.map(|row| trace.strings.get(trace.slices.name.get(row)));
        let is_there = |number: usize| names.any(|name| name == format!("mark {number}"));
        assert!(
            (0..MARKS).all(is_there),
            "marks are missing or not in order"
        );
        if trace_cmd_knows(compression) {
            let text = report(&device, compression);
            let marks = text.lines().filter_map(|line| {
                let number = line.split_once("I|1|mark ")?.1;
                number.parse::<usize>().ok()
            });
            assert!(marks.eq(0..MARKS), "{compression}: marks are missing");
        }
        sizes.push(bytes.len());
    }
    assert!(
        sizes[1] < sizes[0] / 2 && sizes[2] < sizes[0] / 2,
        "{sizes:?}"
    );
}

#[test]
fn unknown_versions_are_refused() {
    let Some(_kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    for (args, words) in [
        (
            ["--raw", "--raw_version=8"],
            "there is no trace.dat version 8",
        ),
        (["--raw", "--raw_compression=lz4"], "none, zlib or zstd"),
        (["-z", "--raw_version=7"], "need --raw"),
    ] {
        let said = device.run(Program::Ours, &args);
        assert_eq!(said.code, Some(1));
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
}

#[test]
fn our_reader_finds_times_to_the_nanosecond() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    device.run(Program::Ours, &["--async_start", "-b", "8192", "sched"]);
    let sleeps = workload::sleeps(50);
    workload::wakeups(5);
    let mut command = device.command(Program::Ours, &["--raw", "--async_stop"]);
    let output = command.output().unwrap();
    drop(kernel);
    let trace = read_bytes(&output.stdout, ReadOptions::default()).unwrap();
    let mut repairs = trace.repairs.rows().iter();
    assert!(repairs.all(|row| row.kind != RepairKind::LostEvents));
    // These threads have ended and wrote no marks, but the kernel recorded their process while they ran.
    for name in ["waker", "woken"] {
        let mut threads = trace.threads.rows();
        let thread = threads.find(|thread| trace.strings.get(thread.name) == name);
        let process = trace.processes.row(thread.unwrap().upid.0 as usize);
        assert_eq!(process.pid, i64::from(std::process::id()));
    }
    for (number, sleep) in sleeps.iter().enumerate() {
        let name = trace.strings.lookup(&format!("sleep {number}")).unwrap();
        let mut slices = trace.slices.rows();
        let slice = slices.find(|slice| slice.name == name).unwrap();
        let thread = trace.track_thread(slice.track_id).unwrap();
        assert_eq!(trace.thread_name(thread), "sleeper");
        let within = |ts: i64, (before, after): (i64, i64)| (before..=after).contains(&ts);
        assert!(within(slice.ts, sleep.begin), "{slice:?} {sleep:?}");
        assert!(
            within(slice.ts + slice.dur, sleep.end),
            "{slice:?} {sleep:?}"
        );
    }
}
