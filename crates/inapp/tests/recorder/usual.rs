//! Recorded events are read back.

use std::path::Path;

use traceloom_inapp::OnMark;
use traceloom_inapp::recorder::*;
use traceloom_trace::RepairKind;

use crate::child::{counters, read, run, slices};

/// Records one or two events of every kind.
pub fn one_of_everything() {
    name_id(1, "com.example.Main onCreate ()V");
    name_id(2, "frames");
    name_id(3, "decode");
    {
        let _outer = section("outer");
        let _inner = section_id(3);
        counter("queue", -5);
        counter_id(2, 60);
    }
    method_enter(1);
    method_enter(77);
    method_exit(77);
    method_exit(1);
    instant("tap");
    instant_id(3);
    async_begin("load", 7);
    async_begin_id(3, i64::MIN);
    async_end_id(3, i64::MIN);
    async_end("load", 7);
    let on_mark: OnMark = mark;
    on_mark(format!("B|{}|from libcutils", std::process::id()).as_bytes());
    on_mark(b"E");
    let long = "x".repeat(20_000);
    begin(&long);
    end();
    mark(format!("I|{}|{long}", std::process::id()).as_bytes());
}

pub fn scenario(folder: &Path) {
    for clock in [None, Some(ClockSource::Boot), Some(ClockSource::Monotonic)] {
        let path = folder.join(format!("{clock:?}.ring"));
        let options = Options {
            clock,
            ..Options::new(path)
        };
        start(&options).expect("recording starts");
        assert!(is_recording());
        one_of_everything();
        assert_eq!(stop().as_deref(), Some(&*options.path));
        // Events after the stop are not recorded.
        begin("too late");
        assert!(!is_recording() && stop().is_none());
    }
}

#[test]
fn events_of_every_kind_are_read_back() {
    let folder = run("usual");
    let names = ["None.ring", "Some(Boot).ring", "Some(Monotonic).ring"];
    for name in names {
        let trace = read(folder.path(), name);
        let found = slices(&trace);
        let thread = found[0].split_once(": ").expect("a thread").0;
        let long = "x".repeat(20_000);
        let own = ["outer", "decode", "com.example.Main.onCreate", "77"];
        let own: Vec<String> = own.iter().map(|name| format!("{thread}: {name}")).collect();
        assert_eq!(found[..4], own);
        assert_eq!(found[4..6], ["async: load", "async: decode"]);
        assert_eq!(found[6], format!("{thread}: from libcutils"));
        assert_eq!(found[7], format!("{thread}: {long}"));
        let queue = ("queue".to_owned(), -5.0);
        assert_eq!(counters(&trace), [queue, ("frames".to_owned(), 60.0)]);
        let instants: Vec<&str> = trace
            .slices
            .instants()
            .map(|row| trace.strings.get(trace.slices.name.get(row)))
            .collect();
        assert_eq!(instants, ["tap", "decode", &long]);
        assert!(
            trace.repairs.rows().is_empty(),
            "{name}: {:?}",
            trace.repairs.rows()
        );
        assert!(trace.slices.dur.iter().all(|dur| dur >= 0));
    }
}

#[test]
fn times_agree_with_the_systems_clocks() {
    let folder = run("usual");
    let mut before = 0;
    for name in ["None.ring", "Some(Boot).ring"] {
        let trace = read(folder.path(), name);
        let boot = trace
            .clocks
            .iter()
            .find(|row| row.clock.name() == "boot")
            .expect("noted");
        assert_eq!(boot.ts, boot.value_ns);
        // The recordings were made one after the other. The start of each is noted just before its first event.
        assert!(
            trace.bounds.0 >= boot.ts && trace.bounds.0 > before,
            "{name}"
        );
        assert!(
            trace.bounds.0 - boot.ts < 1_000_000_000,
            "{name}: {:?}",
            trace.bounds
        );
        before = trace.bounds.1;
    }
}

/// Starts and stops recordings while threads record all the time.
pub fn restart_scenario(folder: &Path) {
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let _section = section("work");
                    counter_id(1, 1);
                }
            });
        }
        for round in 0..60 {
            let options = Options {
                bytes: 64 << 10,
                chunk_bytes: 1 << 10,
                ..Options::new(folder.join(format!("{round}.ring")))
            };
            start(&options).expect("recording starts");
            assert!(start(&options).is_err());
            std::thread::sleep(std::time::Duration::from_millis(2));
            stop().expect("a recording was running");
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn threads_may_record_while_it_starts_and_stops() {
    let folder = run("restart");
    let mut events = 0;
    for round in 0..60 {
        let trace = read(folder.path(), &format!("{round}.ring"));
        events += trace.counters.len();
        for kind in [
            RepairKind::TornRecord,
            RepairKind::BrokenBlock,
            RepairKind::MissingSummary,
        ] {
            let found = trace.repairs.rows();
            assert_eq!(trace.repairs.count(kind), 0, "{round}: {found:?}");
        }
    }
    assert!(events > 0);
}
