//! Compares the time of slices that never ended with the spans of the slices.

use proptest::prelude::*;
use traceloom_analyze::timeline::Timeline;
use traceloom_analyze::{
    CallTree, Flame, FlameDirection, FlameOptions, FlameSide, Measure, NodeId, Profile,
    ProfileOptions, TimeRange, TreeOptions,
};
use traceloom_trace::{NO_DURATION, SliceBegin, Trace, TraceBuilder};

use crate::made::{steps, trace_of};

fn tree_of(trace: &Trace, range: Option<TimeRange>) -> CallTree {
    let options = TreeOptions {
        range,
        all_tracks: false,
    };
    CallTree::from_trace(trace, &options)
}

/// The time of the outermost slices in a range if all of them last until their drawn end. It
/// includes unfinished time.
fn spans(trace: &Trace, range: TimeRange) -> i64 {
    let timeline = Timeline::new(trace);
    let mut sum = 0;
    for row in trace
        .slices
        .spans()
        .filter(|&row| trace.slices.depth.get(row) == 0)
    {
        let (from, to) = (trace.slices.ts.get(row), timeline.end_of(trace, row));
        sum += (to.min(range.to_ns) - from.max(range.from_ns)).max(0);
    }
    sum
}

fn roots(tree: &CallTree, time: impl Fn(NodeId) -> i64) -> i64 {
    tree.threads.iter().map(|thread| time(thread.root)).sum()
}

/// Compares the sums at the roots with the sum over all nodes, and the sums of each node with those
/// of its children.
fn check(tree: &CallTree, measure: Measure) -> Result<(i64, i64), TestCaseError> {
    let nodes = &tree.nodes;
    for node in (0..nodes.len() as u32).map(NodeId) {
        let inside: Vec<NodeId> = nodes.children(node).collect();
        let sum = |time: &dyn Fn(NodeId) -> i64| inside.iter().map(|node| time(*node)).sum::<i64>();
        let inclusive = |node| nodes.inclusive(node, measure);
        let unfinished = |node| nodes.unfinished(node, measure);
        prop_assert!(inclusive(node) >= sum(&inclusive));
        if nodes.is_unfinished(node) {
            prop_assert_eq!(inclusive(node), sum(&inclusive));
            prop_assert_eq!(nodes.exclusive(node, measure), 0);
        }
        prop_assert!(unfinished(node) >= sum(&unfinished));
    }
    let inclusive = roots(tree, |root| nodes.inclusive(root, measure));
    let unfinished = roots(tree, |root| nodes.unfinished(root, measure));
    let own = |node| nodes.exclusive(node, measure);
    prop_assert_eq!(
        inclusive,
        (0..nodes.len() as u32).map(NodeId).map(own).sum::<i64>()
    );
    Ok((inclusive, unfinished))
}

/// Checks that both parts of the flame graph are as wide as the times of the roots.
fn check_flame(tree: &CallTree, sums: (i64, i64)) -> Result<(), TestCaseError> {
    let profile = Profile::new(tree, &ProfileOptions::for_tree(tree));
    let side = FlameSide {
        tree,
        profile: &profile,
        names: None,
        scale: 1.0,
        is_base: false,
    };
    let options = FlameOptions::new(FlameDirection::Down, 1e9);
    let flame = Flame::new(&[side], Measure::Wall, &options, &|| true);
    prop_assert_eq!(flame.unfinished_ns, sums.1 as f64);
    prop_assert_eq!(flame.total_ns, (sums.0 + sums.1) as f64);
    let split = sums.0 as f64;
    for bar in &flame.frames {
        let is_right = bar.x >= split;
        prop_assert!(is_right == bar.unfinished && (is_right || bar.x + bar.w <= split));
    }
    let own = |unfinished: bool| {
        let bars = flame
            .frames
            .iter()
            .filter(|bar| bar.unfinished == unfinished);
        bars.map(|bar| bar.own).sum::<f64>()
    };
    prop_assert_eq!((own(false), own(true)), (sums.0 as f64, sums.1 as f64));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn both_times_add_up_to_the_spans(
        steps in steps(false, 150), from in -20..1500i64, length in 0..1200i64,
    ) {
        let trace = trace_of(&steps, false, 0);
        let range = TimeRange { from_ns: from, to_ns: from + length };
        for range in [None, Some(range)] {
            let tree = tree_of(&trace, range);
            let sums = check(&tree, Measure::Wall)?;
            prop_assert_eq!(sums.0 + sums.1, spans(&trace, range.unwrap_or(TimeRange::ALL)));
            check(&tree, Measure::Cpu)?;
            check_flame(&tree, sums)?;
        }
    }

    #[test]
    fn there_is_none_where_every_slice_ends(steps in steps(false, 100)) {
        let ends = [0, 1, 2].map(|thread| vec![(thread, 8, 0, 1); steps.len()]).concat();
        let trace = trace_of(&[steps, ends].concat(), false, 0);
        prop_assert!(trace.slices.dur.iter().all(|dur| dur != NO_DURATION));
        let tree = tree_of(&trace, None);
        prop_assert!(!tree.nodes.has_unfinished());
        let profile = Profile::new(&tree, &ProfileOptions::for_tree(&tree));
        prop_assert!(profile.unfinished.is_none());
        prop_assert!(profile.rows.iter().all(|row| row.unfinished.is_none()));
    }

    #[test]
    fn calls_of_methods_have_none(steps in steps(false, 150)) {
        let tree = tree_of(&trace_of(&steps, true, 0), None);
        prop_assert!(!tree.nodes.has_unfinished());
    }
}

/// Calls of 10 ns each, in slices that never end: `outer` from 0 on, `inner` from 50 on; the trace ends at 100.
#[test]
fn finished_slices_count_for_what_is_around_them() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("made", "test");
    let utid = builder.thread(1);
    let track = builder.thread_track(utid);
    let [outer, inner, call] = [b"outer", b"inner", b"calls"].map(|name| builder.intern(name));
    builder.begin_slice(track, SliceBegin::named(0, outer));
    builder.whole_slice(track, SliceBegin::named(20, call), 10);
    builder.begin_slice(track, SliceBegin::named(50, inner));
    builder.whole_slice(track, SliceBegin::named(60, call), 10);
    builder.whole_slice(track, SliceBegin::named(90, call), 10);
    let trace = builder.finish();
    let tree = tree_of(&trace, None);
    let profile = Profile::new(&tree, &ProfileOptions::for_tree(&tree));
    let wall = |times: &traceloom_analyze::Times| times.get(Measure::Wall);
    let row = |row: &traceloom_analyze::ProfileRow| {
        let unfinished = row.unfinished.as_ref().and_then(wall);
        let times = [wall(&row.inclusive), wall(&row.exclusive), unfinished];
        (row.function.label(), row.calls, times.map(Option::unwrap))
    };
    let rows: Vec<_> = profile.rows.iter().map(row).collect();
    assert_eq!(
        rows,
        [
            ("calls".to_owned(), 3, [30, 30, 0]),
            ("outer".to_owned(), 1, [30, 0, 70]),
            ("inner".to_owned(), 1, [20, 0, 30]),
        ]
    );
    assert_eq!(wall(&profile.total), Some(30));
    assert_eq!(profile.unfinished.as_ref().and_then(wall), Some(70));
}
