//! Calls that are too short to be recorded.

use std::path::Path;
use std::time::{Duration, Instant};

use traceloom_inapp::recorder::*;
use traceloom_trace::{RepairKind, RowId, SliceId, Trace};

use crate::child::{options, read, run, slices, spawn};

const LIMIT: Duration = Duration::from_millis(5);
const SHORT: u32 = 10_000;

fn call(id: u32, inside: impl FnOnce()) {
    method_enter(id);
    inside();
    method_exit(id);
}

fn take(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

fn work() {
    call(1, || {
        (0..SHORT).for_each(|_| call(2, || call(3, || {})));
        call(4, || {
            call(2, || {});
            call(5, || take(LIMIT));
            call(2, || call(3, || {}));
        });
        // Short, but something is recorded in it.
        call(6, || instant("seen"));
    });
}

pub fn scenario(folder: &Path) {
    for cpu_time in [false, true] {
        let options = Options {
            min_call: Some(LIMIT),
            cpu_time,
            ..Options::new(folder.join(format!("{cpu_time}.ring")))
        };
        start(&options).expect("recording starts");
        work();
        stop();
    }
}

/// Checks that no slice could have been dropped.
fn assert_none_is_short(trace: &Trace) -> usize {
    let limit = LIMIT.as_nanos() as i64;
    let (mut kept, rows) = (0, trace.slices.spans());
    for row in rows {
        let (ts, dur) = (trace.slices.ts.get(row), trace.slices.dur.get(row));
        let name = trace.slice_name(SliceId::from_row(row));
        kept += usize::from(name == "2" || name == "3");
        assert!(dur >= limit || name == "6", "{name} at {ts} took {dur} ns");
    }
    kept
}

#[test]
fn short_calls_are_dropped_and_their_callers_stay() {
    let folder = run("short-calls");
    for file in ["false.ring", "true.ring"] {
        let trace = read(folder.path(), file);
        assert!(
            trace.repairs.rows().is_empty(),
            "{:?}",
            trace.repairs.rows()
        );
        // A short call may have been interrupted for longer than the limit.
        let interrupted = assert_none_is_short(&trace);
        assert!(interrupted < SHORT as usize / 100, "{interrupted}");
        let shown = slices(&trace);
        let shown = shown.iter().filter_map(|name| name.rsplit(' ').next());
        let kept: Vec<&str> = shown.filter(|name| !"2 3".contains(name)).collect();
        assert_eq!(kept, ["1", "4", "5", "6"], "{file}");
        let cpu = trace.slices.thread_dur.iter().filter(|dur| *dur >= 0);
        assert_eq!(cpu.count() > 0, file == "true.ring");
        let limit = trace
            .metadata
            .rows()
            .find(|row| trace.strings.get(row.key) == "min-call-usec");
        let limit = limit.map(|row| trace.strings.get(row.value));
        assert_eq!(limit, Some("5000"));
    }
}

/// Is killed in the middle of calls that are short so far.
pub fn killed_scenario(folder: &Path) {
    let options = Options {
        min_call: Some(Duration::from_secs(3600)),
        ..options(folder)
    };
    start(&options).expect("recording starts");
    call(1, || {
        call(2, || {});
        call(3, || std::process::abort());
    });
}

#[test]
fn a_killed_process_leaves_the_calls_that_were_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = spawn("short-killed", folder.path())
        .wait()
        .expect("it ends");
    assert!(!status.success());
    let shown = slices(&read(folder.path(), "app.ring"));
    let names: Vec<_> = shown
        .iter()
        .filter_map(|name| name.rsplit(' ').next())
        .collect();
    assert_eq!(names, ["1", "3"]);
}

/// Saves while threads take entries back all the time.
pub fn saved_scenario(folder: &Path) {
    let options = Options {
        min_call: Some(Duration::from_millis(1)),
        ..options(folder)
    };
    start(&options).expect("recording starts");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    call(1, || call(2, || call(3, || {})));
                    call(4, || instant("a name that takes several words"));
                }
            });
        }
        for round in 0..20 {
            let path = folder.join(format!("{round}.ring"));
            save(&path, Format::Ring, None).expect("saved");
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    stop();
}

#[test]
fn saved_files_are_intact_while_entries_are_taken_back() {
    let folder = run("short-saved");
    for round in 0..20 {
        let trace = read(folder.path(), &format!("{round}.ring"));
        let torn = trace.repairs.count(RepairKind::TornRecord);
        assert_eq!(torn, 0, "{round}");
        let instants = trace.slices.instants();
        let mut names = instants.map(|row| trace.strings.get(trace.slices.name.get(row)));
        assert!(names.all(|name| name == "a name that takes several words"));
    }
}
