//! Recordings that are longer than the kernel's buffer have their beginning too.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use testkit::KernelTurn;
use traceloom_trace::Trace;

use crate::linux::settings;
use crate::load::{KernelCount, Load, counted, read_at_once};
use crate::marks::Writer;
use crate::work::{Running, naps, open, said, traceloom};

const TRACEFS: &str = "/sys/kernel/tracing";

/// The number of events that a recorder has read from the buffers.
fn read_events() -> u64 {
    let cpus = std::fs::read_dir(format!("{TRACEFS}/per_cpu")).unwrap();
    let stats = cpus.map(|cpu| read_at_once(&cpu.unwrap().path().join("stats")));
    let count = |stats: String| {
        let mut lines = stats.lines();
        let count = lines.find_map(|line| line.strip_prefix("read events: "));
        count.and_then(|count| count.trim().parse::<u64>().ok())
    };
    stats.filter_map(count).sum::<u64>()
}

/// Loads the machine until the recorder has read this many events from the buffer.
pub fn overfill(events: u64) {
    let load = Load::start();
    let until = Instant::now() + Duration::from_secs(60);
    while read_events() < events {
        assert!(Instant::now() < until, "{} events were read", read_events());
        thread::sleep(Duration::from_millis(10));
    }
    drop(load);
}

fn has_mark(trace: &Trace, mark: usize) -> bool {
    trace.strings.lookup(&format!("mark {mark}")).is_some()
}

#[test]
fn a_recording_that_outgrows_the_buffer_has_its_beginning() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.html", "x.txt", "x.json", "x.gz"] {
        let before = settings();
        let args = ["capture", "--target", "linux", "-b", "2048", "-o", name];
        let mut command = traceloom(
            folder.path(),
            &[&args[..], &["-t", "600", "sched"]].concat(),
        );
        command.stdin(Stdio::null());
        let running = Running::start(command);
        let kernel = KernelCount::watch();
        let writer = Writer::start();
        // Both buffers together hold about 150,000 events.
        overfill(300_000);
        let marks = writer.end();
        let output = running.interrupt();
        let kernel = kernel.end();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let trace = open(&folder.path().join(name));
        let missing = (0..marks).filter(|&mark| !has_mark(&trace, mark)).count();
        assert!(
            missing as u64 <= kernel,
            "{missing} marks are missing: {stderr}"
        );
        assert!(has_mark(&trace, 0) || kernel > 0, "{stderr}");
        assert_eq!(counted(&trace), kernel, "{name}: {stderr}");
        assert!(trace.sched_slices.len() as u64 + kernel > 60_000);
        assert_eq!(settings(), before);
    }
}

#[test]
fn a_short_recording_is_the_kernels_own_text() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = ["capture", "--target", "linux", "-o", "x.txt", "sched"];
    let running = Running::start(traceloom(folder.path(), &args));
    naps(3);
    let output = running.enter();
    assert!(output.status.success(), "{:?}", said(&output));
    let text = std::fs::read_to_string(folder.path().join("x.txt")).unwrap();
    // The kernel's flags have five characters; a text that is written from tables has four.
    assert!(text.contains("_-----=> irqs-off/BH-disabled"), "{text}");
    assert!(text.contains("nap 2"), "{text}");
}

/// Settings that trace-cmd leaves behind, as they were.
struct Restored(Vec<(&'static str, String)>);

impl Restored {
    fn new() -> Self {
        let files = ["tracing_on", "buffer_size_kb", "set_event"];
        let read = |file| std::fs::read_to_string(format!("{TRACEFS}/{file}")).unwrap();
        Self(files.map(|file| (file, read(file))).into())
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        for (file, value) in &self.0 {
            let value = value.split(" (expanded: ").last().unwrap();
            let value = value.trim_end().trim_end_matches(')');
            // Opening the list of events empties it.
            let events = value.split_whitespace();
            _ = std::fs::write(format!("{TRACEFS}/{file}"), "");
            events.for_each(|word| _ = std::fs::write(format!("{TRACEFS}/{file}"), word));
        }
    }
}

/// trace-cmd, recording `sched` with buffers of 4 MB. Machines that refuse changes to the function
/// tracer show it a file in place of each of its settings, without which it does not start.
fn trace_cmd(out: &Path) -> Command {
    const TRACER: [&str; 6] = [
        "/proc/sys/kernel/ftrace_enabled",
        "/sys/kernel/tracing/set_ftrace_filter",
        "/sys/kernel/tracing/set_ftrace_notrace",
        "/sys/kernel/tracing/set_ftrace_pid",
        "/sys/kernel/tracing/set_graph_function",
        "/sys/kernel/tracing/set_graph_notrace",
    ];
    let stand_in = out.with_extension("setting");
    std::fs::write(&stand_in, "1\n").unwrap();
    let script = "for setting; do test -e $setting && mount --bind $FILE $setting; done; \
                  exec trace-cmd record -e sched -b 4096 -o $OUT";
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", script, "sh"])
        .args(TRACER);
    command
        .env("FILE", stand_in)
        .env("OUT", out)
        .process_group(0);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The events that the kernel lost while trace-cmd recorded the load. `None` if it does not run here.
fn lost_by_trace_cmd(folder: &Path) -> Option<u64> {
    let out = folder.join("peer.dat");
    let _restored = Restored::new();
    let mut peer = trace_cmd(&out).spawn().ok()?;
    let on = format!("{TRACEFS}/events/sched/sched_switch/enable");
    while std::fs::read_to_string(&on).unwrap().trim() != "1" {
        if peer.try_wait().unwrap().is_some() {
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let kernel = KernelCount::watch();
    let load = Load::start();
    thread::sleep(Duration::from_secs(1));
    drop(load);
    // SAFETY: kill takes numbers; the child is ours and not yet waited for.
    unsafe { libc::kill(peer.id() as i32, libc::SIGINT) };
    peer.wait().unwrap();
    Some(kernel.end())
}

#[test]
fn nothing_is_lost_where_trace_cmd_loses_nothing() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let lost = lost_by_trace_cmd(folder.path());
    if lost != Some(0) {
        println!("skipped: trace-cmd is missing, or loses events here: {lost:?}");
        return;
    }
    let args = ["capture", "--target", "linux", "-o", "x.html", "sched"];
    let running = Running::start(traceloom(folder.path(), &args));
    let load = Load::start();
    thread::sleep(Duration::from_secs(1));
    drop(load);
    let output = running.enter();
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(counted(&open(&folder.path().join("x.html"))), 0, "{stderr}");
}
