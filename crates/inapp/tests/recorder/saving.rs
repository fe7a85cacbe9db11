//! Files that the app saves, opened with traceloom's readers.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use traceloom_inapp::recorder::*;
use traceloom_trace::{RepairKind, RowId, SliceId, Trace};

use crate::child::{counters, options, read, run, slices};
use crate::usual::one_of_everything;

pub fn scenario(folder: &Path) {
    let options = Options {
        cpu_time: true,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    one_of_everything();
    for (name, format) in [
        ("live.ring", Format::Ring),
        ("live.systrace", Format::Ftrace),
        ("live.trace", Format::MethodTrace),
    ] {
        save(&folder.join(name), format, None).expect(name);
    }
    save(
        &folder.join("last.ring"),
        Format::Ring,
        Some(Duration::from_secs(60)),
    )
    .expect("the last minute");
    let ring = stop().expect("a recording was running");
    convert(&ring, &folder.join("stopped.systrace"), Format::Ftrace)
        .expect("the file is converted");
    assert!(save(&folder.join("late"), Format::Ring, None).is_err());
    let left = std::fs::read_dir(folder).expect("the folder").count();
    assert!(save(&folder.join("last.ring").join("late"), Format::Ring, None).is_err());
    assert!(
        convert(
            &folder.join("live.systrace"),
            &folder.join("late"),
            Format::Ftrace
        )
        .is_err()
    );
    assert_eq!(std::fs::read_dir(folder).expect("the folder").count(), left);
}

/// Start, end (whole µs) and name of each slice.
fn in_micros(trace: &Trace) -> Vec<(i64, i64, String)> {
    let rows = trace
        .slices
        .rows()
        .enumerate()
        .filter(|(_, row)| !row.instant);
    let shown = rows.map(|(row, slice)| {
        let end = slice.ts + slice.dur;
        let name = trace.slice_name(SliceId::from_row(row));
        (slice.ts / 1_000, end / 1_000, name)
    });
    shown.collect()
}

#[test]
fn all_files_have_the_same_content() {
    let folder = run("saving");
    let ring = read(folder.path(), "app.ring");
    for file in ["live.ring", "last.ring"] {
        let other = read(folder.path(), file);
        assert_eq!(slices(&ring), slices(&other), "{file}");
        assert_eq!(counters(&ring), counters(&other), "{file}");
        // The end is a different sync point, so the rate of the clock is slightly different.
        let apart = (ring.bounds.0 - other.bounds.0).abs() + (ring.bounds.1 - other.bounds.1).abs();
        assert!(apart < 1_000, "{file}: {apart} ns");
        assert!(
            other.repairs.rows().is_empty(),
            "{file}: {:?}",
            other.repairs.rows()
        );
    }
    for file in ["live.systrace", "stopped.systrace"] {
        let text = read(folder.path(), file);
        let mut expected = in_micros(&ring);
        // In text, methods are sections with the whole name.
        for slice in &mut expected {
            slice.2 = slice.2.replace("Main.onCreate", "Main onCreate ()V");
        }
        let found = in_micros(&text);
        assert_eq!(found.len(), expected.len(), "{file}");
        for (found, expected) in found.iter().zip(&expected) {
            let apart = (found.0 - expected.0)
                .abs()
                .max((found.1 - expected.1).abs());
            assert!(
                apart <= 1 && found.2 == expected.2,
                "{file}: {found:?} {expected:?}"
            );
        }
        assert_eq!(counters(&text), counters(&ring), "{file}");
        assert_eq!(text.slices.len(), ring.slices.len(), "{file}");
        let lost: Vec<_> = text.repairs.rows().iter().map(|row| row.kind).collect();
        assert!(
            lost.iter().all(|kind| *kind == RepairKind::NameCut),
            "{file}: {lost:?}"
        );
        let thread = text.threads.row(1);
        let same = ring.threads.row(1);
        assert_eq!(thread.tid, same.tid);
        assert_eq!(text.processes.row(1).pid, ring.processes.row(1).pid);
    }
}

#[test]
fn methods_are_saved_as_a_method_trace() {
    let folder = run("saving");
    let ring = read(folder.path(), "app.ring");
    let methods = read(folder.path(), "live.trace");
    assert_eq!(methods.metadata("method-trace-clocks"), Some("dual"));
    let names: Vec<String> = in_micros(&methods)
        .into_iter()
        .map(|slice| slice.2)
        .collect();
    assert_eq!(names, ["com.example.Main.onCreate", "77"]);
    let wall = |trace: &Trace| -> Vec<i64> {
        let calls = trace.slices.rows().filter(|slice| slice.thread_ts >= 0);
        calls
            .map(|slice| (slice.ts + slice.dur) / 1_000 - slice.ts / 1_000)
            .collect()
    };
    assert_eq!(wall(&methods).len(), wall(&ring).len());
    let cpu = |trace: &Trace| -> Vec<i64> {
        trace
            .slices
            .thread_dur
            .iter()
            .filter(|dur| *dur >= 0)
            .map(|dur| dur / 1_000)
            .collect()
    };
    for (ours, theirs) in cpu(&methods).into_iter().zip(cpu(&ring)) {
        assert!((ours - theirs).abs() <= 1, "{ours} {theirs}");
    }
    // The clock of a method trace is CLOCK_MONOTONIC, so the ring file's offset of that clock aligns both.
    let mono = ring
        .clocks
        .iter()
        .find(|row| row.clock.name() == "monotonic")
        .expect("noted");
    let ahead = mono.ts - mono.value_ns;
    let first = ring
        .slices
        .rows()
        .find(|slice| slice.thread_ts >= 0)
        .expect("a method")
        .ts;
    assert!((methods.bounds.0 + ahead - first).abs() < 2_000, "{ahead}");
}

/// Saves while threads record as fast as possible.
pub fn busy_scenario(folder: &Path) {
    let options = Options {
        bytes: 256 << 10,
        chunk_bytes: 1 << 10,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let done = &done;
            scope.spawn(move || {
                let mut value = 0;
                while !done.load(Ordering::Relaxed) {
                    counter_id(thread, value);
                    instant("of some length");
                    value += 1;
                }
            });
        }
        for round in 0..30 {
            let last = (round % 2 == 0).then_some(Duration::from_millis(1));
            save(&folder.join(format!("{round}.ring")), Format::Ring, last).expect("saved");
        }
        done.store(true, Ordering::Relaxed);
    });
    stop();
}

#[test]
fn files_saved_while_recording_are_intact() {
    let folder = run("busy-saving");
    for round in 0..30 {
        let trace = read(folder.path(), &format!("{round}.ring"));
        for kind in [
            RepairKind::TornRecord,
            RepairKind::MissingSummary,
            RepairKind::LostEvents,
        ] {
            let all = trace.repairs.rows();
            assert_eq!(trace.repairs.count(kind), 0, "{round}: {all:?}");
        }
    }
}

#[test]
fn saved_files_are_for_their_owner_and_follow_no_link() {
    let folder = run("saving");
    let at = |name: &str| folder.path().join(name);
    let mode = |file: &Path| std::fs::metadata(file).expect("a file").mode() & 0o777;
    for name in ["app.ring", "last.ring", "live.systrace", "live.trace"] {
        assert_eq!(mode(&at(name)), 0o600, "{name}");
    }
    let (victim, file) = (at("victim"), at("copy"));
    std::fs::write(&victim, "text").expect("written");
    for link in [&file, &at("copy.part")] {
        symlink(&victim, link).expect("linked");
    }
    convert(&at("app.ring"), &file, Format::Ftrace).expect("converted");
    assert_eq!(std::fs::read(&victim).expect("read"), b"text");
    assert!(file.symlink_metadata().expect("a file").is_file());
}

/// More than the used part of the header, bytes.
const HEADER: usize = 512;

#[test]
fn files_with_any_header_are_converted_or_refused() {
    let folder = run("saving");
    let (damaged, file) = (folder.path().join("damaged"), folder.path().join("file"));
    let ring = std::fs::read(folder.path().join("live.ring")).expect("read");
    for at in (0..HEADER).step_by(8) {
        for value in [u64::MAX, i64::MAX as u64, i64::MIN as u64] {
            let mut bytes = ring.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            std::fs::write(&damaged, bytes).expect("written");
            for format in [Format::Ftrace, Format::MethodTrace] {
                // The result does not matter, only that the call returns.
                _ = convert(&damaged, &file, format);
            }
        }
    }
}
