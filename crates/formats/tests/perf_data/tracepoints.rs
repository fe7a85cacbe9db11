//! Tracepoints that perf records during the test, compared with the text that perf prints for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, Trace};

use super::perf_script::has_perf;

const EVENTS: &[&str] = &[
    "sched:sched_switch",
    "sched:sched_waking",
    "syscalls:sys_enter_newuname",
    "syscalls:sys_exit_newuname",
];

/// Two programs that sleep, and one that runs.
const COMMAND: &str = "for i in 1 2 3; do uname > /dev/null; sleep 0.01; done";

/// Records the command with these options into a file, or into a stream that is saved. `None` if perf is not allowed to
/// record tracepoints here.
fn record(name: &str, options: &[&str]) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let is_stream = name.starts_with("stream");
    let to = if is_stream { "-" } else { path.to_str()? };
    let out = if is_stream {
        File::create(&path).unwrap().into()
    } else {
        Stdio::null()
    };
    let events = EVENTS.iter().flat_map(|event| ["-e", *event]);
    let command = ["--", "sh", "-c", COMMAND];
    let recorded = Command::new("perf")
        .args(["record", "-q", "-o", to])
        .args(events)
        .args(options)
        .args(command)
        .stdout(out)
        .stderr(Stdio::null())
        .status();
    let is_recorded = recorded.is_ok_and(|status| status.success());
    if !is_recorded {
        eprintln!("skipped: perf cannot record tracepoints here");
    }
    is_recorded.then_some(path)
}

fn read(path: &Path) -> Trace {
    let bytes = std::fs::read(path).unwrap();
    read_bytes(&bytes, ReadOptions::default()).unwrap()
}

/// A line of perf: the CPU, the time in ns, the event, and its fields.
type Line = (i64, i64, String, String);

fn printed(path: &Path) -> Vec<Line> {
    let output = Command::new("perf")
        .args(["script", "--ns", "-F", "cpu,time,event,trace", "-i"])
        .arg(path)
        .stderr(Stdio::null())
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.lines().filter_map(line).collect()
}

/// Parses `[001] 64474.235300123: sched:sched_switch: prev_comm=…`.
fn line(line: &str) -> Option<Line> {
    let (cpu, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let (time, rest) = rest.trim_start().split_once(": ")?;
    let (event, fields) = rest.trim_start().split_once(": ")?;
    let ts = time.replace('.', "").parse().ok()?;
    Some((cpu.parse().ok()?, ts, event.to_owned(), fields.to_owned()))
}

fn number(fields: &str, key: &str) -> i64 {
    let (_, value) = fields.split_once(&format!("{key}=")).unwrap();
    value.split(' ').next().unwrap().parse().unwrap()
}

/// Each switch to a thread and the next switch away from it: time, duration, CPU, thread. Virtual machines may omit
/// switches; then the two belong to different threads.
fn runs(lines: &[Line]) -> BTreeSet<(i64, i64, i64, i64)> {
    let mut running = BTreeMap::new();
    let mut runs = BTreeSet::new();
    for (cpu, ts, _, fields) in lines.iter().filter(|line| line.2 == EVENTS[0]) {
        let (prev, next) = (number(fields, "prev_pid"), number(fields, "next_pid"));
        if let Some((since, tid)) = running.insert(*cpu, (*ts, next))
            && tid == prev
        {
            runs.insert((since, ts - since, *cpu, tid));
        }
    }
    runs
}

fn count(lines: &[Line], event: &str) -> usize {
    lines.iter().filter(|line| line.2 == event).count()
}

#[test]
fn switches_of_a_machine_are_scheduling() {
    let recordings: [(&str, &[&str]); 3] = [
        ("machine.data", &["-a"]),
        ("compressed.data", &["-a", "-z"]),
        ("stream.data", &["-a"]),
    ];
    for (name, options) in recordings {
        if !has_perf() {
            return;
        }
        let Some(path) = record(name, options) else {
            continue;
        };
        let (trace, lines) = (read(&path), printed(&path));
        let expected = runs(&lines);
        assert!(!expected.is_empty());
        let found = scheduled(&trace);
        let missing: Vec<_> = expected.difference(&found).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert_eq!(trace.wakeups.len(), count(&lines, EVENTS[1]));
        let calls = trace.slices.name.iter();
        let calls = calls.filter(|name| trace.strings.get(*name) == "sys_newuname");
        assert_eq!(calls.count(), count(&lines, EVENTS[2]));
        let text = script(&path);
        // A text does not say whose events it has. Only a text of the whole machine has events of idle threads.
        if !String::from_utf8_lossy(&text).contains("  swapper  ") {
            continue;
        }
        let text = read_bytes(&text, ReadOptions::default()).unwrap();
        let missing = expected.difference(&scheduled(&text)).count();
        assert_eq!((missing, text.wakeups.len()), (0, trace.wakeups.len()));
    }
}

/// Each slice of the scheduler: time, duration, CPU, thread.
fn scheduled(trace: &Trace) -> BTreeSet<(i64, i64, i64, i64)> {
    let runs = trace.sched_slices.rows();
    let runs = runs.map(|run| {
        let tid = trace.threads.tid.get(run.utid.row());
        (run.ts, run.dur, i64::from(run.cpu), tid)
    });
    runs.collect()
}

/// The whole text of a recording.
fn script(path: &Path) -> Vec<u8> {
    let output = Command::new("perf")
        .args(["script", "--ns", "-F", "+pid", "-i"])
        .arg(path)
        .stderr(Stdio::null())
        .output();
    output.unwrap().stdout
}

/// It is unknown what else ran, so the switches are only events.
#[test]
fn switches_of_some_threads_are_events() {
    if !has_perf() {
        return;
    }
    let Some(path) = record("threads.data", &[]) else {
        return;
    };
    let (trace, lines) = (read(&path), printed(&path));
    let switches = count(&lines, EVENTS[0]);
    assert!(switches > 0);
    assert_eq!(trace.sched_slices.len(), 0);
    assert_eq!(trace.wakeups.len(), 0);
    let names = trace.ftrace_events.name.iter();
    let names = names.filter(|name| trace.strings.get(*name) == "sched_switch");
    assert_eq!(names.count(), switches);
    assert_eq!(trace.repairs.rows().len(), 0);
    let text = read_bytes(&script(&path), ReadOptions::default()).unwrap();
    assert_eq!(text.sched_slices.len(), 0);
}
