//! Made texts of every kind of event that the interpreter knows.

use proptest::prelude::*;

use crate::made_events::Maker;
use crate::trip::trip;

/// What may differ after an inferred switch. The reader puts such a switch after the last event of the thread that ran
/// before on the CPU. The tables do not hold the CPU of every event: a counter's (`oom_score_adj_update`) and an end
/// without a begin have none. So the written text has no such event on that CPU, and the switch is inferred earlier. The
/// writer does not write a switch, because the kernel did not record one.
const INFERRED: &[&str] = &["sched_slices", "thread_states", "run_ends", "text"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn made_texts_reach_a_fixed_point(steps in proptest::collection::vec(any::<[u16; 4]>(), 1..60)) {
        let mut maker = Maker::default();
        for step in steps {
            maker.step(step);
        }
        let trip = trip(maker.text.as_bytes(), "ftrace");
        let Some(trip) = trip else { return Ok(()) };
        let mut found = trip.differences();
        let is_inferred = trip.tables.iter().any(|trace| trace.sched_slices.inferred.iter().any(|inferred| inferred));
        found.retain(|table, _| !(is_inferred && INFERRED.contains(table)));
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
