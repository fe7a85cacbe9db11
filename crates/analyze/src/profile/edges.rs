//! The edges of the tree: who calls whom, added up by caller and callee.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::rows::Profile;
use crate::tree::{CallTree, NodeId, Sums, Times, add};

/// All calls of one method by another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Edge {
    /// The caller's row in the profile; `None` for a thread itself (`(toplevel)`).
    pub caller: Option<usize>,
    /// The callee's row.
    pub callee: usize,
    /// Whether the caller was already open ("children while recursive").
    pub caller_recursive: bool,
    /// Whether the callee was already open ("parents while recursive").
    pub callee_recursive: bool,
    /// The number of calls.
    pub calls: u64,
    /// Inclusive time of these calls.
    pub inclusive: Times,
}

type Key = (Option<usize>, usize, bool, bool);

impl Profile {
    /// All edges of the profiled tree, by caller and callee. Takes time linear in the number of
    /// nodes.
    pub fn edges(&self, tree: &CallTree) -> Vec<Edge> {
        self.edges_where(tree, |_, _| true)
    }

    /// The edges from and to one row.
    pub(crate) fn edges_of(&self, tree: &CallTree, row: usize) -> Vec<Edge> {
        self.edges_where(tree, |caller, callee| caller == Some(row) || callee == row)
    }

    fn edges_where(
        &self,
        tree: &CallTree,
        wanted: impl Fn(Option<usize>, usize) -> bool,
    ) -> Vec<Edge> {
        let recursive = self.recursive_nodes(tree);
        let mut sums: FxHashMap<Key, (u64, Sums)> = FxHashMap::default();
        for thread in &tree.threads {
            for row in tree.rows_of(thread) {
                let node = NodeId(row as u32);
                let parent = tree.nodes.parent(node);
                let Some(callee) = self.row_of(tree, node) else {
                    continue;
                };
                let caller = self.row_of(tree, parent);
                if wanted(caller, callee) {
                    let key = (caller, callee, recursive[parent.row()], recursive[row]);
                    let (calls, inclusive) = sums.entry(key).or_default();
                    *calls += tree.nodes.calls(node);
                    add(inclusive, &tree.nodes.inclusive_sums(node));
                }
            }
        }
        let mut edges = Vec::with_capacity(sums.len());
        for sum in sums {
            edges.push(self.edge(sum));
        }
        edges.sort_unstable_by_key(|edge: &Edge| {
            let callers = (edge.caller, edge.callee);
            (callers, edge.caller_recursive, edge.callee_recursive)
        });
        edges
    }

    fn edge(&self, (key, (calls, inclusive)): (Key, (u64, Sums))) -> Edge {
        let (caller, callee, caller_recursive, callee_recursive) = key;
        Edge {
            caller,
            callee,
            caller_recursive,
            callee_recursive,
            calls,
            inclusive: self.clocks.times(&inclusive),
        }
    }
}
