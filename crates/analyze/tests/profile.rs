//! Compares the profile with simple reference results: every call is checked with its whole path.

mod common;

use std::collections::BTreeMap;

use common::{Call, calls_of, label, record, records, tree_of};
use proptest::prelude::*;
use traceloom_analyze::{
    CallTree, CallTreeBuilder, GroupBy, Measure, Profile, ProfileOptions, ReportEdge,
    TreeDirection, TreeViewOptions,
};

/// Calls, recursive calls, inclusive and exclusive wall time.
type Numbers = (u64, u64, i64, i64);

/// The name of a call in a profile by method or by class.
fn name(method: u32, by: GroupBy) -> String {
    match by {
        GroupBy::Class => label(method).rsplit_once('.').unwrap().0.to_owned(),
        _ => label(method),
    }
}

fn names(call: &Call, by: GroupBy) -> Vec<String> {
    call.path.iter().map(|&method| name(method, by)).collect()
}

fn wall(call: &Call) -> i64 {
    call.end.0 - call.begin.0
}

fn plain_rows(calls: &[Call], by: GroupBy) -> BTreeMap<String, Numbers> {
    let mut rows: BTreeMap<String, Numbers> = BTreeMap::new();
    for call in calls {
        let names = names(call, by);
        let (own, above) = names.split_last().unwrap();
        let row = rows.entry(own.clone()).or_default();
        if above.contains(own) {
            row.1 += 1;
        } else {
            row.0 += 1;
            row.2 += wall(call);
        }
        row.3 += wall(call);
        if let Some(caller) = above.last() {
            rows.entry(caller.clone()).or_default().3 -= wall(call);
        }
    }
    rows
}

fn profile(tree: &CallTree, by: GroupBy) -> Profile {
    let clock = Measure::Wall;
    Profile::new(tree, &ProfileOptions { by, clock })
}

fn rows(profile: &Profile) -> BTreeMap<String, Numbers> {
    let rows = profile.rows.iter().map(|row| {
        let times = (
            row.inclusive.wall_ns.unwrap(),
            row.exclusive.wall_ns.unwrap(),
        );
        let numbers = (row.calls, row.recursive_calls, times.0, times.1);
        (row.function.label(), numbers)
    });
    rows.collect()
}

/// Calls and time by name.
type Edges = BTreeMap<String, (u64, i64)>;

/// Adds up the names that `pick` selects for each call, given the call's own name and those above
/// it.
fn plain_edges(
    calls: &[Call],
    pick: impl for<'n> Fn(&'n String, &'n [String]) -> Option<&'n str>,
) -> Edges {
    let mut edges = Edges::new();
    for call in calls {
        let names = names(call, GroupBy::Method);
        let (own, above) = names.split_last().unwrap();
        if let Some(name) = pick(own, above) {
            let edge = edges.entry(name.to_owned()).or_default();
            *edge = (edge.0 + 1, edge.1 + wall(call));
        }
    }
    edges
}

/// Parents of a method; `recursive`: those while the method is already open.
fn plain_parents(calls: &[Call], of: &str, recursive: bool) -> Edges {
    plain_edges(calls, |own, above| {
        let is_one = own == of && above.contains(own) == recursive;
        is_one.then(|| above.last().map_or("(toplevel)", String::as_str))
    })
}

/// Children of a method; `recursive`: those called while the method is open at least twice.
fn plain_children(calls: &[Call], of: &str, recursive: bool) -> Edges {
    plain_edges(calls, |own, above| {
        let (caller, further_up) = above.split_last()?;
        let is_one = caller == of && further_up.contains(caller) == recursive;
        is_one.then_some(own.as_str())
    })
}

fn edges(section: &[ReportEdge]) -> Edges {
    let edges = section.iter();
    edges
        .map(|edge| {
            (
                edge.function.label(),
                (edge.calls, edge.inclusive.wall_ns.unwrap()),
            )
        })
        .collect()
}

proptest! {
    #[test]
    fn rows_are_what_a_look_at_every_call_gives(records in records()) {
        let tree = tree_of(&records, CallTreeBuilder::default());
        let calls = calls_of(&records);
        for by in [GroupBy::Method, GroupBy::Class] {
            prop_assert_eq!(rows(&profile(&tree, by)), plain_rows(&calls, by));
        }
    }

    #[test]
    fn reports_are_what_a_look_at_every_call_gives(records in records()) {
        let tree = tree_of(&records, CallTreeBuilder::default());
        let calls = calls_of(&records);
        let profile = profile(&tree, GroupBy::Method);
        for (at, row) in profile.rows.iter().enumerate() {
            let (report, name) = (profile.report(&tree, at), row.function.label());
            prop_assert_eq!(edges(&report.parents), plain_parents(&calls, &name, false));
            prop_assert_eq!(edges(&report.recursive_parents), plain_parents(&calls, &name, true));
            prop_assert_eq!(edges(&report.children), plain_children(&calls, &name, false));
            prop_assert_eq!(edges(&report.recursive_children), plain_children(&calls, &name, true));
            let children: i64 = report.children.iter().map(|edge| edge.inclusive.wall_ns.unwrap()).sum();
            prop_assert_eq!(report.own.wall_ns.unwrap() + children, row.inclusive.wall_ns.unwrap());
        }
    }

    #[test]
    fn trees_and_stacks_keep_all_time(records in records()) {
        let tree = tree_of(&records, CallTreeBuilder::default());
        let profile = profile(&tree, GroupBy::Method);
        let total = profile.total.wall_ns.unwrap();
        for direction in [TreeDirection::TopDown, TreeDirection::BottomUp] {
            let options = TreeViewOptions { min_percent: 0.0, ..TreeViewOptions::new(direction) };
            let view = profile.tree_view(&tree, &options);
            let top_down = direction == TreeDirection::TopDown;
            let wanted = view.rows.iter().filter(|row| top_down || row.depth == 0);
            let own: i64 = wanted.map(|row| row.exclusive.wall_ns.unwrap()).sum();
            let outside = if top_down { 0 } else { profile.outside.wall_ns.unwrap() };
            prop_assert_eq!(own + outside, total);
            prop_assert!(view.rows.iter().all(|row| row.hidden == 0));
        }
        let mut sum = 0;
        tree.folded(Measure::Wall, |_, ns| { sum += ns; Ok::<(), ()>(()) }).unwrap();
        prop_assert_eq!(sum, total);
    }
}

#[test]
fn callers_are_found_from_below() {
    use traceloom_trace::MethodAction::{Enter, Exit};
    // a { c }  b { c c }
    let records = [
        record(0, Enter, 0),
        record(2, Enter, 10),
        record(2, Exit, 15),
        record(0, Exit, 20),
        record(1, Enter, 30),
        record(2, Enter, 40),
        record(2, Exit, 47),
        record(2, Enter, 50),
        record(2, Exit, 52),
        record(1, Exit, 60),
    ];
    let tree = tree_of(&records, CallTreeBuilder::default());
    let profile = profile(&tree, GroupBy::Method);
    let options = TreeViewOptions::new(TreeDirection::BottomUp);
    let view = profile.tree_view(&tree, &options);
    let shown: Vec<String> = view
        .rows
        .iter()
        .map(|row| {
            let own = row.exclusive.wall_ns.unwrap();
            format!("{} {} {own} {}", row.depth, row.function.label(), row.calls)
        })
        .collect();
    let (a, b, c) = (label(0), label(1), label(2));
    let expected = [
        format!("0 {b} 21 1"),
        "1 t0 (1) 21 1".to_owned(),
        format!("0 {a} 15 1"),
        "1 t0 (1) 15 1".to_owned(),
        format!("0 {c} 14 3"),
        format!("1 {b} 9 2"),
        "2 t0 (1) 9 2".to_owned(),
        format!("1 {a} 5 1"),
        "2 t0 (1) 5 1".to_owned(),
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        profile.find(&c),
        [profile
            .rows
            .iter()
            .position(|row| row.function.label() == c)
            .unwrap()]
    );
    assert_eq!(profile.find("M2"), Vec::<usize>::new());
    assert_eq!(profile.find("m2").len(), 1);
}
