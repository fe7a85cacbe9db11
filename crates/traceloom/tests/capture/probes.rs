//! Probes of programs and of the kernel.

use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use testkit::KernelTurn;
use traceloom_trace::{ArgValue, RowId, Trace, TrackType};

use crate::linux::settings;
use crate::work::{Running, open, said, traceloom};

const UPROBES: &str = "/sys/kernel/tracing/uprobe_events";
const KPROBES: &str = "/sys/kernel/tracing/kprobe_events";
const LINUX: [&str; 3] = ["capture", "--target", "linux"];

/// The number of calls in this test's process.
const CALLS: usize = 50;

/// A function to probe. Returns twice its argument.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn traceloom_probed(number: u64) -> u64 {
    thread::sleep(Duration::from_micros(std::hint::black_box(100)));
    number * 2
}

fn has_uprobes() -> bool {
    let has = Path::new(UPROBES).exists();
    if !has {
        println!("skipped: this kernel has no uprobes");
    }
    has
}

fn place(function: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("{}:{function}", program.display())
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = traceloom(folder, &[&LINUX[..], args].concat());
    command.stdin(Stdio::null()).output().unwrap()
}

/// The slices of this name: the argument `number` and the result of each.
fn calls(trace: &Trace, name: &str) -> usize {
    let named = |row: &usize| trace.strings.get(trace.slices.name.get(*row)) == name;
    let rows = (0..trace.slices.len()).filter(named);
    rows.filter(|&row| trace.slices.dur.get(row) >= 100_000)
        .count()
}

#[test]
fn a_call_of_a_program_is_a_slice() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !has_uprobes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let before = (settings(), std::fs::read_to_string(UPROBES).unwrap());
    let call = format!(
        "doubled={} number=%di:u64 result=$retval:u64",
        place("traceloom_probed")
    );
    let reached = format!("reached={} number=%di:u64", place("traceloom_probed"));
    for name in ["x.html", "x.dat", "x.txt"] {
        let probes = ["--uretprobe", &call, "--uprobe", &reached];
        let args = [&LINUX[..], &probes, &["-t", "600", "-o", name]].concat();
        let mut command = traceloom(folder.path(), &args);
        command.stdin(Stdio::null());
        let running = Running::start(command);
        for number in 0..CALLS as u64 {
            assert_eq!(traceloom_probed(number), 2 * number);
        }
        let output = running.interrupt();
        let (_, stderr) = said(&output);
        assert!(output.status.success(), "{stderr}");
        let trace = open(&folder.path().join(name));
        assert_eq!(calls(&trace, "doubled"), CALLS, "{name}: {stderr}");
        let events = trace.ftrace_events.len();
        assert!(events >= CALLS, "{name}: {events} other events");
        assert_eq!(
            before,
            (settings(), std::fs::read_to_string(UPROBES).unwrap())
        );
    }
}

/// The values of the counters that kernel events describe, with the scope of each.
fn described(trace: &Trace) -> Vec<(i64, f64)> {
    let rows = trace.counters.rows().filter_map(|row| {
        let track = trace.tracks.row(row.track_id.row());
        let mut args = trace.args.set(track.arg_set_id);
        let scope = args.find(|(key, _)| trace.strings.get(*key) == "scope");
        match (track.kind, scope) {
            (TrackType::KernelTrackeventCustomCounter, Some((_, ArgValue::Int(scope)))) => {
                Some((scope, row.value))
            }
            _ => None,
        }
    });
    rows.collect()
}

#[test]
fn arguments_of_a_probe_can_make_it_a_counter() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !has_uprobes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let probe = format!(
        "level={} counter_value=%di:s64 scope_lane=\\5:u64",
        place("traceloom_probed")
    );
    for name in ["x.dat", "x.txt"] {
        let args = [&LINUX[..], &["--uprobe", &probe, "-t", "600", "-o", name]].concat();
        let mut command = traceloom(folder.path(), &args);
        command.stdin(Stdio::null());
        let running = Running::start(command);
        for number in 0..CALLS as u64 {
            traceloom_probed(number);
        }
        let output = running.interrupt();
        assert!(output.status.success(), "{:?}", said(&output));
        let trace = open(&folder.path().join(name));
        let expected: Vec<_> = (0..CALLS).map(|number| (5, number as f64)).collect();
        assert_eq!(described(&trace), expected, "{name}");
    }
}

#[test]
fn a_killed_recorder_leaves_no_probe() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !has_uprobes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let before = std::fs::read_to_string(UPROBES).unwrap();
    for instance in [&[][..], &["--instance", "test-probes"]] {
        let probe = place("traceloom_probed");
        let args = ["--uretprobe", &probe, "-t", "600", "-o", "x.dat"];
        let running = Running::start(traceloom(
            folder.path(),
            &[&LINUX[..], instance, &args].concat(),
        ));
        let during = std::fs::read_to_string(UPROBES).unwrap();
        assert!(
            during.contains("traceloom/traceloom_call_traceloom_probed"),
            "{during}"
        );
        let again = run(
            folder.path(),
            &[&args[..], &["--instance", "test-other"]].concat(),
        );
        assert!(
            said(&again).1.contains("exists already"),
            "{:?}",
            said(&again)
        );
        running.kill();
        while std::fs::read_to_string(UPROBES).unwrap() != before {
            thread::sleep(Duration::from_millis(10));
        }
        traceloom_probed(1);
    }
}

#[test]
fn wrong_probes_are_refused_before_the_recording() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (missing, twice) = (place("no_such_function"), place("traceloom_probed"));
    let mut cases: Vec<(Vec<&str>, &str)> =
        vec![(vec!["--uprobe", "malloc"], "write /path/to/file:function")];
    if has_uprobes() {
        cases.push((
            vec!["--uprobe", &missing],
            "has no function no_such_function",
        ));
        cases.push((
            vec!["--uprobe", &twice, "--uprobe", &twice],
            "two probes would be the event",
        ));
        let wrong = vec!["--uprobe", "/bin/sh:0x10 x=%nonsense"];
        cases.push((wrong, "the probe _0x10 cannot be added: "));
    }
    if !Path::new(KPROBES).exists() {
        let why = "this kernel cannot add events to functions of the kernel: its tracefs has no kprobe_events";
        cases.push((vec!["--kprobe", "do_sys_openat2"], why));
        cases.push((vec!["--kretprobe", "do_sys_openat2", "sched"], why));
    }
    let before = settings();
    for (args, why) in cases {
        let output = run(
            folder.path(),
            &[&args[..], &["-t", "1", "-o", "x.txt"]].concat(),
        );
        let (_, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(why), "{args:?}: {stderr}");
        assert!(!stderr.contains("Starting"), "{stderr}");
        assert_eq!(settings(), before);
    }
}
