//! Generated texts with every kind of event that the interpreter knows.

use proptest::prelude::*;
use testkit::Rng;

use crate::made_events::Maker;
use crate::trip::trip;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn made_texts_reach_a_fixed_point(holes in any::<bool>(), steps in proptest::collection::vec(any::<[u16; 4]>(), 1..90)) {
        let mut maker = Maker::new(holes);
        for step in steps {
            maker.step(step);
        }
        let trip = trip(maker.text.as_bytes(), "ftrace");
        let Some(trip) = trip else { return Ok(()) };
        let found = trip.differences();
        let shown: Vec<String> = found.iter().map(|(table, rows)| format!("{table}: {rows}")).collect();
        let text = String::from_utf8_lossy(&trip.texts[0]);
        prop_assert!(found.is_empty(), "{}\n{}\n{}", shown.join("\n"), maker.text, text);
    }
}

/// The event that usually ends this wait would also begin another slice.
#[test]
fn a_mark_may_end_a_slice_of_kernel_events() {
    let text = "# tracer: nop\n#\n \
        main-10 (10) [001] .... 1.000002: tracing_mark_write: B|10|draw\n \
        main-10 (10) [001] .... 1.000003: binder_lock: tag=binder_ioctl\n \
        main-10 (10) [001] .... 1.000004: tracing_mark_write: E|10\n";
    let trip = trip(text.as_bytes(), "ftrace").unwrap();
    assert_eq!(trip.tables[0].slices.len(), 2);
    assert!(trip.differences().is_empty(), "{:?}", trip.differences());
}

/// The counter's event has no thread in the tables. If it were written for the idle thread, it would end a slice of
/// that thread.
#[test]
fn a_counter_ends_no_slice_of_the_idle_thread() {
    let text = "# tracer: nop\n#\n \
        main-10 (10) [001] .... 1.000001: tracing_mark_write: I|10|here\n \
        <idle>-0 (-----) [002] .... 1.000003: regulator_set_voltage: name=vdd (900000-950000)\n \
        main-10 (10) [001] .... 1.000005: regulator_set_voltage_complete: name=vdd, val=912500\n";
    let trip = trip(text.as_bytes(), "ftrace").unwrap();
    assert!(trip.differences().is_empty(), "{:?}", trip.differences());
}

/// A process without threads has a counter. The written text invents a main thread for it. Events of the whole machine
/// must not move to that thread when the text is read and written again.
#[test]
fn an_invented_main_thread_stands_in_for_no_other() {
    let text = "# tracer: nop\n#\n \
        main-10 (10) [001] .... 1.000001: ext4_writepages: dev 8,1 ino 58 nr_to_write 9 sync_mode 0\n \
        <idle>-0 (-----) [002] .... 1.000003: mm_compaction_kcompactd_wake: nid=0 order=3 classzone_idx=Normal\n \
        main-10 (10) [001] .... 1.000005: cpu_idle: state=4294967295 cpu_id=0\n \
        main-10 (10) [001] .... 1.000006: gpu_mem_total: gpu_id=0 pid=1 size=4096\n";
    let trip = trip(text.as_bytes(), "ftrace").unwrap();
    assert!(trip.differences().is_empty(), "{:?}", trip.differences());
}

/// Many texts with `holes` have inferred switches. Each becomes an event of the written text.
#[test]
fn made_texts_have_inferred_switches() {
    let mut rng = Rng::new(7);
    let mut texts = 0;
    for _ in 0..200 {
        let mut maker = Maker::new(true);
        for _ in 0..60 {
            maker.step([(); 4].map(|()| rng.below(1 << 16) as u16));
        }
        let trip = trip(maker.text.as_bytes(), "ftrace").unwrap();
        let inferred = &trip.tables[0].sched_slices.inferred;
        let inferred = inferred.iter().filter(|inferred| *inferred).count();
        let text = String::from_utf8_lossy(&trip.texts[0]);
        assert_eq!(text.matches(": inferred_switch: ").count(), inferred);
        texts += u64::from(inferred > 0);
    }
    assert!(texts > 80, "{texts} of 200 texts");
}
