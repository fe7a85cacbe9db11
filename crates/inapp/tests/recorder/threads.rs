//! Recordings of many threads.

use std::path::Path;
use std::sync::Barrier;

use traceloom_inapp::recorder::*;
use traceloom_trace::RepairKind;

use crate::child::{options, read, run};

pub fn sixteen_scenario(folder: &Path) {
    start(&options(folder)).expect("recording starts");
    std::thread::scope(|scope| {
        for thread in 0..16u32 {
            let builder = std::thread::Builder::new().name(format!("worker {thread}"));
            let work = move || {
                for round in 0..5_000u32 {
                    let _outer = section_id(thread);
                    method_enter(round % 100);
                    counter_id(1000 + thread, round.into());
                    method_exit(round % 100);
                }
            };
            builder.spawn_scoped(scope, work).expect("a thread");
        }
    });
    stop();
}

#[test]
fn sixteen_threads_lose_nothing() {
    let folder = run("sixteen");
    let trace = read(folder.path(), "app.ring");
    assert!(
        trace.repairs.rows().is_empty(),
        "{:?}",
        trace.repairs.rows()
    );
    assert_eq!(trace.slices.len(), 16 * 2 * 5_000);
    assert_eq!(trace.counters.len(), 16 * 5_000);
    assert_eq!(trace.real_threads().count(), 16);
    for row in 1..trace.threads.len() {
        let name = trace.thread_name(traceloom_trace::ThreadId(row as u32));
        assert!(name.starts_with("worker "), "{name}");
    }
}

const CROWD: u32 = 200;
const EACH: i64 = 400;

/// Runs more threads than there are chunks, all at once.
pub fn crowd_scenario(folder: &Path) {
    let options = Options {
        bytes: 64 << 10,
        chunk_bytes: 1 << 10,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    let together = Barrier::new(CROWD as usize);
    std::thread::scope(|scope| {
        for thread in 0..CROWD {
            let together = &together;
            scope.spawn(move || {
                for value in 0..EACH {
                    counter_id(thread, value);
                    if value % 50 == 0 {
                        together.wait();
                    }
                }
                together.wait();
            });
        }
    });
    stop();
}

#[test]
fn two_hundred_threads_share_sixty_four_chunks() {
    let folder = run("crowd");
    let trace = read(folder.path(), "app.ring");
    let dropped = trace.repairs.count(RepairKind::BufferOverflow);
    let lost = trace.repairs.count(RepairKind::LostEvents);
    let kept = trace.counters.len() as u64;
    let all = u64::from(CROWD) * EACH as u64;
    assert_eq!(
        kept + dropped + lost,
        all,
        "{kept} kept, {dropped} dropped, {lost} lost"
    );
    assert!(kept > 1_000, "{kept}");
    assert!(lost < all / 100, "{lost} lost");
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 0);
    assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 0);
}

/// Fills a ring that stops recording when it is full.
pub fn full_scenario(folder: &Path) {
    let options = Options {
        bytes: 16 << 10,
        chunk_bytes: 1 << 10,
        policy: Policy::Stop,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    (0..5_000).for_each(|value| counter_id(1, value));
    stop();
}

#[test]
fn a_full_ring_keeps_the_first_events() {
    let folder = run("full");
    let trace = read(folder.path(), "app.ring");
    let values: Vec<f64> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(
        values.len() as u64 + trace.repairs.count(RepairKind::LostEvents),
        5_000
    );
    assert_eq!(values.len(), 16 * 960 / 16);
    assert!(
        values
            .iter()
            .enumerate()
            .all(|(index, value)| index as f64 == *value)
    );
}

const SHORT_LIVED: u32 = 20_000;
const EVENTS: i64 = 100;

/// Runs far more threads than there are chunks or slots for threads, a few at a time.
pub fn short_lived_scenario(folder: &Path) {
    let options = Options {
        bytes: 40 << 20,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for thread in 0..SHORT_LIVED / 4 {
                    let work = move || (0..EVENTS).for_each(|value| counter_id(thread, value));
                    std::thread::spawn(work).join().expect("the thread ends");
                }
            });
        }
    });
    stop();
}

#[test]
fn short_lived_threads_share_chunks() {
    let folder = run("short-lived");
    let trace = read(folder.path(), "app.ring");
    // 5,120 chunks of 8 KB for 20,000 threads with 1.6 KB each.
    let repairs = trace.repairs.rows();
    assert!(repairs.is_empty(), "{repairs:?}");
    assert_eq!(trace.counters.len(), SHORT_LIVED as usize * EVENTS as usize);
    assert_eq!(trace.real_threads().count(), SHORT_LIVED as usize);
}

/// The same in a small ring that overwrites, while others are saved from it.
pub fn recycled_scenario(folder: &Path) {
    let options = Options {
        bytes: 256 << 10,
        chunk_bytes: 1 << 10,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for thread in 0..1_500 {
                    let events = i64::from(thread % 200);
                    let work = move || (0..events).for_each(|value| counter_id(1, value));
                    std::thread::spawn(work).join().expect("the thread ends");
                }
            });
        }
        for round in 0..20 {
            let path = folder.join(format!("{round}.ring"));
            save(&path, Format::Ring, None).expect("saved");
        }
    });
    stop();
}

#[test]
fn shared_chunks_are_overwritten_and_saved_like_others() {
    let folder = run("recycled");
    let files = (0..20).map(|round| format!("{round}.ring"));
    for file in files.chain(["app.ring".to_owned()]) {
        let trace = read(folder.path(), &file);
        for kind in [RepairKind::TornRecord, RepairKind::LostEvents] {
            assert_eq!(trace.repairs.count(kind), 0, "{file}: {kind:?}");
        }
        if file == "app.ring" {
            let dropped = trace.repairs.count(RepairKind::BufferOverflow);
            let all = 4 * (0..1_500).map(|thread| thread % 200).sum::<u64>();
            assert_eq!(trace.counters.len() as u64 + dropped, all);
        }
    }
}
