//! Recordings of processes that are killed at any moment.

use std::path::Path;
use std::time::Duration;

use testkit::Rng;
use traceloom_inapp::recorder::*;
use traceloom_trace::RepairKind;

use crate::child::{options, read, spawn};

const THREADS: u32 = 4;

const ROUNDS: u32 = 60;

/// Threads count up forever, in a ring that overwrites its events every few milliseconds. Others live shortly, and go on with
/// each other's chunks.
pub fn scenario(folder: &Path) {
    let options = Options {
        bytes: 64 << 10,
        chunk_bytes: 1 << 10,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    let long = "y".repeat(3_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                let work = || (0..9).for_each(|_| instant_id(7));
                std::thread::spawn(work).join().expect("the thread ends");
            }
        });
        for thread in 0..THREADS {
            let long = &long;
            scope.spawn(move || {
                for value in 0.. {
                    counter_id(thread, value);
                    match value % 64 {
                        0 => mark(format!("I|1|{long}").as_bytes()),
                        1..8 => instant("a name of some length"),
                        _ => {}
                    }
                }
            });
        }
    });
}

#[test]
fn committed_events_survive_a_kill() {
    let mut rng = Rng::new(1);
    let (mut recorded, mut gaps_reported) = (0, 0);
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = spawn("killed", folder.path());
        let file = folder.path().join("app.ring");
        // Wait until it records: the magic number of the header is written first.
        while !std::fs::read(&file).is_ok_and(|bytes| bytes.starts_with(b"TLRING")) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_micros(rng.below(20_000)));
        child.kill().expect("the child runs");
        child.wait().expect("the child ends");
        let trace = read(folder.path(), "app.ring");
        assert_eq!(trace.repairs.count(RepairKind::MissingSummary), 1);
        assert_eq!(
            trace.repairs.count(RepairKind::TornRecord),
            partial_marks(&trace),
            "round {round}"
        );
        // The values of each thread are consecutive, so nothing in the middle is missing.
        for track in 0..trace.tracks.len() {
            let rows = trace.counters.rows();
            let values: Vec<f64> = rows
                .filter(|row| row.track_id.0 as usize == track)
                .map(|row| row.value)
                .collect();
            let is_gap = |pair: &[f64]| pair[0] + 1.0 != pair[1];
            let gaps = values.windows(2).filter(|pair| is_gap(pair)).count();
            let repairs = trace.repairs.rows();
            // A thread may be descheduled while it gives up or claims the oldest chunk, and other threads then empty newer
            // ones. If the process is killed at that moment, there is a gap after the oldest chunk, which is a repair.
            let reported = trace.repairs.count(RepairKind::BrokenBlock);
            assert!(
                gaps as u64 <= reported,
                "round {round}: {gaps} gaps, {repairs:?}"
            );
            recorded += values.len();
        }
        gaps_reported += trace.repairs.count(RepairKind::BrokenBlock);
    }
    println!("{recorded} values, {gaps_reported} gaps reported");
    assert!(recorded > 1_000, "{recorded} values in all");
}

/// The number of incomplete marks. A long mark loses its start if the oldest chunk is overwritten, and its end if the
/// process is killed.
fn partial_marks(trace: &traceloom_trace::Trace) -> u64 {
    let torn = trace.repairs.rows().iter();
    let torn = torn.filter(|row| row.kind == RepairKind::TornRecord);
    torn.filter(|row| row.detail.contains("long mark"))
        .map(|row| row.count)
        .sum()
}

/// The next process finds the recording of the killed one.
pub fn next_scenario(folder: &Path) {
    let started = start(&options(folder)).expect("recording starts");
    let previous = started.previous.expect("there was one");
    assert!(previous.was_killed && previous.pid != std::process::id());
    stop();
    // The next start finds a recording that was stopped normally.
    let started = start(&options(folder)).expect("recording starts");
    let previous = started.previous.expect("there was one");
    assert!(!previous.was_killed && previous.pid == std::process::id());
    stop();
}

#[test]
fn the_next_start_finds_the_previous_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = spawn("killed", folder.path());
    let file = folder.path().join("app.ring");
    while !std::fs::read(&file).is_ok_and(|bytes| bytes.starts_with(b"TLRING")) {
        std::thread::yield_now();
    }
    child.kill().expect("the child runs");
    child.wait().expect("the child ends");
    let status = spawn("next", folder.path()).wait().expect("the child ends");
    assert!(status.success());
}
