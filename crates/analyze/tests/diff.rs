//! Properties of comparisons that must hold for any traces.

mod common;

use proptest::prelude::*;
use traceloom_analyze::{
    CallTreeBuilder, Diff, DiffMetric, GroupBy, Measure, Presence, Profile, ProfileOptions, Verdict,
};

const GROUPS: [GroupBy; 4] = [
    GroupBy::Method,
    GroupBy::Class,
    GroupBy::Package,
    GroupBy::Thread,
];

fn profile(records: &[common::Record], by: GroupBy) -> Profile {
    let tree = common::tree_of(records, CallTreeBuilder::new(None));
    Profile::new(
        &tree,
        &ProfileOptions {
            by,
            clock: Measure::Wall,
        },
    )
}

fn diff(base: &[Profile], new: &[Profile]) -> Diff {
    Diff::new(base, new, Measure::Wall, DiffMetric::Exclusive)
}

proptest! {
    #[test]
    fn a_trace_does_not_differ_from_itself(records in common::records(), by in 0usize..4, runs in 1usize..4) {
        let side = || -> Vec<Profile> { (0..runs).map(|_| profile(&records, GROUPS[by])).collect() };
        let diff = diff(&side(), &side());
        prop_assert_eq!(diff.total.delta, 0.0);
        for row in &diff.rows {
            prop_assert_eq!(row.presence, Presence::Both);
            for change in [&row.calls, &row.inclusive, &row.exclusive] {
                prop_assert_eq!(change.delta, 0.0);
                prop_assert_eq!(change.percent, Some(0.0));
                prop_assert_eq!(change.verdict, Verdict::Same);
            }
        }
    }

    #[test]
    fn turning_the_sides_around_turns_the_signs(a in common::records(), b in common::records()) {
        let (a, b) = ([profile(&a, GroupBy::Method)], [profile(&b, GroupBy::Method)]);
        let (there, back) = (diff(&a, &b), diff(&b, &a));
        prop_assert_eq!(there.total.delta, -back.total.delta);
        prop_assert_eq!(there.rows.len(), back.rows.len());
        for (there, back) in there.rows.iter().zip(&back.rows) {
            prop_assert_eq!(&there.function, &back.function);
            prop_assert_eq!(there.exclusive.delta, -back.exclusive.delta);
            prop_assert_eq!(there.inclusive.base, back.inclusive.new);
            prop_assert_eq!(there.presence == Presence::New, back.presence == Presence::Gone);
        }
    }

    #[test]
    fn rows_add_up_to_the_total(a in common::records(), b in common::records()) {
        let diff = diff(&[profile(&a, GroupBy::Thread)], &[profile(&b, GroupBy::Thread)]);
        let sum: f64 = diff.rows.iter().map(|row| row.inclusive.delta).sum();
        prop_assert_eq!(sum, diff.total.delta);
    }
}
