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

/// Runs more threads than there are slots for threads, one after the other.
pub fn short_lived_scenario(folder: &Path) {
    start(&options(folder)).expect("recording starts");
    for value in 0..5_000 {
        std::thread::spawn(move || counter("value", value))
            .join()
            .expect("the thread ends");
    }
    stop();
}

#[test]
fn threads_that_end_free_their_space() {
    let folder = run("short-lived");
    let trace = read(folder.path(), "app.ring");
    // Each thread took a chunk. 16 MB hold 2,048 of them, so the newest 2,048 are left.
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 0);
    let values: Vec<f64> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(values.len(), 2048);
    assert_eq!(values.last(), Some(&4999.0));
    assert_eq!(trace.real_threads().count(), 2048);
}
