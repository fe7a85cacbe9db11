//! Graphs and trees: searches, dominators, and partitioning of trees by group. Nodes are identified by whole numbers.

mod bounded;
pub(super) mod dominators;
pub(super) mod edges;
pub(super) mod partition;
pub(super) mod search;
mod table;

use super::operator::Operator;

/// The operators of graphs.
pub(super) fn operators() -> Vec<Operator> {
    let reached = &["node_id", "parent_node_id"];
    let dominators = &["node_id", "dominator_node_id"];
    let parts = &["id", "parent_id", "group_key"];
    let bounded = &["root_node_id", "node_id", "parent_node_id"];
    vec![
        Operator::built_in("__intrinsic_dfs", reached, (2, 2), search::depth_first),
        Operator::built_in("__intrinsic_bfs", reached, (2, 2), search::breadth_first),
        Operator::built_in(
            "__intrinsic_dfs_weight_bounded",
            bounded,
            (3, 6),
            bounded::run,
        ),
        Operator::built_in(
            "__intrinsic_dominator_tree",
            dominators,
            (2, 2),
            dominators::run,
        ),
        Operator::built_in(
            "__intrinsic_structural_tree_partition",
            parts,
            (1, 1),
            partition::run,
        ),
    ]
}
