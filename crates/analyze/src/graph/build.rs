//! Builds nodes and edges from the calling-context tree in one pass.

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use super::model::{CallGraph, GraphEdge, GraphNode};
use crate::profile::Profile;
use crate::tree::{CallTree, Function, Measure, NodeId};

/// The node of the threads themselves.
const TOP: usize = 0;

/// A node of the tree on the current path.
struct Frame {
    node: NodeId,
    group: usize,
    /// Whether the same group is also further up on the path.
    is_recursive: bool,
    /// Whether the node is in a subtree of the focus.
    is_inside: bool,
    /// Whether the focus was found at the node or below it.
    reaches: bool,
    /// The time of the focus below the node, ns.
    through_ns: i64,
}

struct Walk<'a> {
    tree: &'a CallTree,
    clock: Measure,
    /// For each group, whether it is in the focus. Empty without a focus.
    is_focus: Vec<bool>,
    path: Vec<Frame>,
    /// How often each group is on the current path.
    open: Vec<u32>,
    nodes: Vec<GraphNode>,
    edges: FxHashMap<(usize, usize), GraphEdge>,
}

/// Builds the complete graph, limited only by the focus.
pub(super) fn build(
    tree: &CallTree,
    profile: &Profile,
    clock: Measure,
    focus: &[usize],
) -> CallGraph {
    let groups = profile.rows.len() + 1;
    let mut is_focus = Vec::new();
    if !focus.is_empty() {
        is_focus.resize(groups, false);
        focus.iter().for_each(|&row| is_focus[row + 1] = true);
    }
    let rows = profile.rows.iter().map(|row| row.function.clone());
    let mut walk = Walk {
        tree,
        clock,
        is_focus,
        path: Vec::new(),
        open: vec![0; groups],
        nodes: std::iter::once(Function::named("(all threads)"))
            .chain(rows)
            .map(blank_node)
            .collect(),
        edges: FxHashMap::default(),
    };
    for thread in &tree.threads {
        for row in tree.rows_of(thread) {
            let node = NodeId(row as u32);
            walk.leave_until(node);
            let group = profile.row_of(tree, node).map_or(TOP, |row| row + 1);
            walk.enter(node, group);
        }
        walk.leave_until(NodeId::NONE);
    }
    walk.finish()
}

fn blank_node(function: Function) -> GraphNode {
    GraphNode {
        function,
        calls: 0,
        recursive_calls: 0,
        inclusive_ns: 0,
        exclusive_ns: 0,
        is_leaf: true,
    }
}

impl Walk<'_> {
    fn enter(&mut self, node: NodeId, group: usize) {
        let parent_inside = self.path.last().is_some_and(|frame| frame.is_inside);
        let is_inside = parent_inside || self.is_focus.is_empty() || self.is_focus[group];
        self.path.push(Frame {
            node,
            group,
            is_recursive: self.open[group] > 0,
            is_inside,
            reaches: is_inside,
            through_ns: 0,
        });
        self.open[group] += 1;
    }

    /// Leaves all subtrees that end before `node`.
    fn leave_until(&mut self, node: NodeId) {
        while let Some(frame) = self.path.pop_if(|frame| {
            let end = self.tree.nodes.end(frame.node);
            end <= node
        }) {
            self.leave(frame);
        }
    }

    fn leave(&mut self, frame: Frame) {
        self.open[frame.group] -= 1;
        if !frame.reaches {
            return;
        }
        let (mut inclusive, mut exclusive) = (frame.through_ns, 0);
        if frame.is_inside {
            inclusive = self.tree.nodes.inclusive(frame.node, self.clock);
            exclusive = self.tree.nodes.exclusive(frame.node, self.clock);
        }
        let calls = self.tree.nodes.calls(frame.node);
        self.nodes[frame.group].add(frame.is_recursive, calls, inclusive, exclusive);
        if let Some(parent) = self.path.last_mut() {
            parent.reaches = true;
            parent.through_ns = parent.through_ns.saturating_add(inclusive);
            let (from, to) = (parent.group, frame.group);
            self.nodes[from].is_leaf = false;
            let edge = self.edges.entry((from, to)).or_insert(GraphEdge {
                from,
                to,
                calls: 0,
                inclusive_ns: 0,
                recursive_ns: 0,
                through: 0,
            });
            edge.add(frame.is_recursive, calls, inclusive);
        }
    }

    /// Removes nodes that were never reached, and sorts the edges.
    fn finish(self) -> CallGraph {
        let is_called = |node: &GraphNode| node.calls + node.recursive_calls > 0;
        let mut places = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for (group, node) in self.nodes.into_iter().enumerate() {
            places[group] = nodes.len();
            if group == TOP || is_called(&node) {
                nodes.push(node);
            }
        }
        let mut edges: Vec<GraphEdge> = self.edges.into_values().collect();
        for edge in &mut edges {
            (edge.from, edge.to) = (places[edge.from], places[edge.to]);
        }
        sort::by_key(&mut edges, |edge| (edge.from, edge.to));
        CallGraph {
            total_ns: nodes[TOP].inclusive_ns,
            nodes,
            edges,
            clock: self.clock,
            counts_samples: self.tree.counts_samples(),
            hidden_nodes: 0,
            hidden_edges: 0,
        }
    }
}

impl GraphNode {
    fn add(&mut self, is_recursive: bool, calls: u64, inclusive_ns: i64, exclusive_ns: i64) {
        if is_recursive {
            self.recursive_calls = self.recursive_calls.saturating_add(calls);
        } else {
            self.calls = self.calls.saturating_add(calls);
            self.inclusive_ns = self.inclusive_ns.saturating_add(inclusive_ns);
        }
        self.exclusive_ns = self.exclusive_ns.saturating_add(exclusive_ns);
    }
}

impl GraphEdge {
    fn add(&mut self, is_recursive: bool, calls: u64, inclusive_ns: i64) {
        self.calls = self.calls.saturating_add(calls);
        let sum = if is_recursive {
            &mut self.recursive_ns
        } else {
            &mut self.inclusive_ns
        };
        *sum = sum.saturating_add(inclusive_ns);
    }
}
