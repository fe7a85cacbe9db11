//! Made texts of every kind of event that the interpreter knows.

use proptest::prelude::*;

use crate::made_events::Maker;
use crate::trip::trip;

/// What may differ after an inferred switch. It comes after the last event of the thread before it on the CPU. If that
/// event is a counter's, such as `oom_score_adj_update`, or an end without a begin, no row keeps its CPU, so the written
/// text cannot show it there. A written switch would keep the time, but the kernel did not record one.
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
