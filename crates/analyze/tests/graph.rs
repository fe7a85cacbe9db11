//! Compares the call graph with simple sums over the profile.

mod common;

use proptest::prelude::*;
use traceloom_analyze::{
    CallGraph, CallTree, CallTreeBuilder, GraphEdge, GraphOptions, Profile, ProfileOptions,
};

fn everything(tree: &CallTree) -> (Profile, GraphOptions) {
    let profile = Profile::new(tree, &ProfileOptions::for_tree(tree));
    let options = GraphOptions {
        threshold_percent: 0.0,
        max_nodes: usize::MAX,
        ..GraphOptions::new(profile.clock())
    };
    (profile, options)
}

proptest! {
    #[test]
    fn edges_add_up_to_their_nodes(records in common::records()) {
        let tree = common::tree_of(&records, CallTreeBuilder::new(None));
        let (profile, options) = everything(&tree);
        let graph = CallGraph::new(&tree, &profile, &options);
        prop_assert_eq!(graph.nodes.len(), profile.rows.len() + 1);
        for (number, node) in graph.nodes.iter().enumerate().skip(1) {
            let row = profile.rows.iter().find(|row| row.function == node.function).unwrap();
            let into: Vec<&GraphEdge> = graph.edges.iter().filter(|edge| edge.to == number).collect();
            prop_assert_eq!(node.calls + node.recursive_calls, row.all_calls());
            prop_assert_eq!(into.iter().map(|edge| edge.calls).sum::<u64>(), row.all_calls());
            prop_assert_eq!(into.iter().map(|edge| edge.inclusive_ns).sum::<i64>(), node.inclusive_ns);
            prop_assert_eq!(Some(node.inclusive_ns), row.inclusive.get(profile.clock()));
            prop_assert_eq!(Some(node.exclusive_ns), row.exclusive.get(profile.clock()));
            let calls_out = graph.edges.iter().any(|edge| edge.from == number);
            prop_assert_eq!(node.is_leaf, !calls_out);
        }
        prop_assert_eq!(Some(graph.total_ns), profile.total.get(profile.clock()));
    }

    #[test]
    fn a_focus_keeps_its_own_time_and_what_leads_there(records in common::records(), pick in 0usize..6) {
        let tree = common::tree_of(&records, CallTreeBuilder::new(None));
        let (profile, mut options) = everything(&tree);
        prop_assume!(!profile.rows.is_empty());
        let row = pick % profile.rows.len();
        options.focus = vec![row];
        let graph = CallGraph::new(&tree, &profile, &options);
        let time = profile.rows[row].inclusive.get(profile.clock()).unwrap();
        prop_assert_eq!(graph.total_ns, time);
        let own = graph.nodes.iter().find(|node| node.function == profile.rows[row].function).unwrap();
        prop_assert_eq!(own.inclusive_ns, time);
        prop_assert!(graph.nodes.iter().all(|node| node.inclusive_ns <= time));
        let exclusive: i64 = graph.nodes.iter().map(|node| node.exclusive_ns).sum();
        prop_assert_eq!(exclusive, time);
    }

    #[test]
    fn a_cut_graph_hangs_together(records in common::records(), max_nodes in 1usize..6, threshold in 0.0..30.0) {
        let tree = common::tree_of(&records, CallTreeBuilder::new(None));
        let (profile, mut options) = everything(&tree);
        options.max_nodes = max_nodes;
        options.threshold_percent = threshold;
        let graph = CallGraph::new(&tree, &profile, &options);
        prop_assert!(graph.nodes.len() <= max_nodes + 1);
        for number in 1..graph.nodes.len() {
            let is_called = graph.edges.iter().any(|edge| edge.to == number && edge.from != number);
            prop_assert!(is_called, "node {} hangs in the air", number);
        }
    }
}
