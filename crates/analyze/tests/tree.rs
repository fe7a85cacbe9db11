//! The tree from records, the tree from tables, and simple reference results all agree.

mod common;

use std::collections::BTreeMap;

use common::{
    Numbers, calls_of, label, paths, record, records, records_in_turns, trace_of, tree_in_batches,
    tree_of,
};
use proptest::prelude::*;
use traceloom_analyze::{CallTree, CallTreeBuilder, Measure, NodeId, TimeRange, TreeOptions};
use traceloom_trace::RepairKind;

/// Paths and their numbers, computed by adding up single calls, each cut at the range. In random
/// traces, CPU times are only roughly half of wall times, so only wall times are computed here.
fn plain_paths(records: &[common::Record], range: TimeRange) -> BTreeMap<String, (u64, i64)> {
    let mut out: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for call in calls_of(records) {
        let (begin, end) = (call.begin.0, call.end.0);
        let inside = begin < range.to_ns && (end > range.from_ns || begin >= range.from_ns);
        if inside {
            let mut path = format!("t{}", call.thread);
            call.path
                .iter()
                .for_each(|&m| path += &format!(";{}", label(m)));
            let sum = out.entry(path).or_default();
            sum.0 += 1;
            sum.1 += end.min(range.to_ns) - begin.max(range.from_ns);
        }
    }
    out
}

/// The paths that have calls. A path without calls (all outside of a range) is in a tree only
/// because it leads to others.
fn without_roots(paths: BTreeMap<String, Numbers>) -> BTreeMap<String, (u64, i64)> {
    let calls = paths.into_iter().filter(|(path, _)| path.contains(';'));
    let calls: BTreeMap<_, _> = calls.map(|(path, n)| (path, (n.0, n.1))).collect();
    let leads_on = |path: &str| {
        calls
            .keys()
            .any(|other| other.starts_with(&format!("{path};")))
    };
    let counts = |(path, n): &(&String, &(u64, i64))| **n != (0, 0) || !leads_on(path);
    let kept = calls.iter().filter(counts);
    kept.map(|(path, n)| (path.clone(), *n)).collect()
}

proptest! {
    #[test]
    fn records_tables_and_plain_answers_agree(records in records()) {
        let straight = tree_of(&records, CallTreeBuilder::default());
        let trace = trace_of(&records);
        let tables = CallTree::from_trace(&trace, &TreeOptions::default());
        prop_assert_eq!(paths(&straight), paths(&tables));
        prop_assert_eq!(without_roots(paths(&straight)), plain_paths(&records, TimeRange::ALL));
        for kind in [RepairKind::UnmatchedExit, RepairKind::MissingExit, RepairKind::NeverClosed] {
            prop_assert_eq!(straight.repairs.count(kind), tables.repairs.count(kind));
        }
    }

    #[test]
    fn batches_of_any_size_agree(records in records_in_turns(3_000, 900)) {
        let one_by_one = tree_in_batches(&records, 1, CallTreeBuilder::default());
        for batch in [7, 511, 4_096] {
            let tree = tree_in_batches(&records, batch, CallTreeBuilder::default());
            prop_assert_eq!(paths(&tree), paths(&one_by_one));
            for kind in [RepairKind::UnmatchedExit, RepairKind::MissingExit, RepairKind::NeverClosed] {
                prop_assert_eq!(tree.repairs.count(kind), one_by_one.repairs.count(kind));
            }
        }
    }

    #[test]
    fn a_range_cuts_all_alike(records in records(), from in 900..4_000i64, length in 0..2_000i64) {
        let range = TimeRange { from_ns: from, to_ns: from + length };
        let first = records.first().map_or(0, |record| record.wall_ns);
        let from_first = range.shifted(-first);
        let straight = tree_of(&records, CallTreeBuilder::new(Some(from_first)));
        let options = TreeOptions { range: Some(range), ..TreeOptions::default() };
        let tables = CallTree::from_trace(&trace_of(&records), &options);
        prop_assert_eq!(paths(&straight), paths(&tables));
        prop_assert_eq!(without_roots(paths(&straight)), plain_paths(&records, range));
    }

    #[test]
    fn times_add_up(records in records()) {
        let tree = tree_of(&records, CallTreeBuilder::default());
        for thread in &tree.threads {
            for measure in [Measure::Wall, Measure::Cpu] {
                let nodes = tree.rows_of(thread).map(|row| NodeId(row as u32));
                let own: i64 = nodes.map(|node| tree.nodes.exclusive(node, measure)).sum();
                prop_assert_eq!(own, tree.nodes.inclusive(thread.root, measure));
            }
        }
    }
}

#[test]
fn overhead_falls_on_caller_and_callee() {
    use traceloom_trace::MethodAction::{Enter, Exit};
    // a calls b twice; a clock reading costs 10.
    let records = [
        record(0, Enter, 0),
        record(1, Enter, 30),
        record(1, Exit, 60),
        record(1, Enter, 100),
        record(1, Exit, 104),
        record(0, Exit, 200),
    ];
    let mut tree = tree_of(&records, CallTreeBuilder::default());
    assert_eq!(tree.correct_overhead(), None);
    tree.clock_overhead_ns = Some(10);
    let report = tree.correct_overhead().unwrap();
    // b: 34 exclusive, minus two readings: 14. a: 166 exclusive, minus its own reading and one per
    // call: 136.
    let wall = paths(&tree);
    let numbers = |path: &str| (wall[path].1, wall[path].3);
    let (a, b) = (label(0), label(1));
    assert_eq!(numbers(&format!("t0;{a};{b}")), (14, 14));
    assert_eq!(numbers(&format!("t0;{a}")), (150, 136));
    assert_eq!(
        (report.removed_wall_ns, report.removed_cpu_ns),
        (Some(50), Some(50))
    );
}
