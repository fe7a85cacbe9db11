//! Made texts of every kind of event that the interpreter knows.

use proptest::prelude::*;

use crate::made_events::Maker;
use crate::trip::trip;

/// Tables that do not come back yet from every text.
const NOT_YET: &[&str] = &[];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn made_texts_reach_a_fixed_point(steps in proptest::collection::vec(any::<[u16; 4]>(), 1..60)) {
        let mut maker = Maker::default();
        for step in steps {
            maker.step(step);
        }
        let trip = trip(maker.text.as_bytes(), "ftrace");
        let mut found = trip.map(|trip| (trip.differences(), trip.texts)).unwrap_or_default();
        found.0.retain(|table, _| !NOT_YET.contains(table));
        let shown: Vec<String> = found.0.iter().map(|(table, rows)| format!("{table}: {rows}")).collect();
        let text = String::from_utf8_lossy(&found.1[0]);
        prop_assert!(found.0.is_empty(), "{}\n{}\n{}", shown.join("\n"), maker.text, text);
    }
}
