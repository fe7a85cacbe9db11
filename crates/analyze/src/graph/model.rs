//! The call graph: methods, the calls between them, and what they cost.

use crate::tree::{Function, Measure};

/// What goes into a call graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The clock of all its times.
    pub clock: Measure,
    /// Nodes and edges below this share of the total inclusive time are left out, percent.
    pub threshold_percent: f64,
    /// At most this many nodes, those with most inclusive time; at least 1.
    pub max_nodes: usize,
    /// Only calls that lead to or come from these rows of the profile; empty for all.
    pub focus: Vec<usize>,
}

impl GraphOptions {
    /// What is worth a look: from 1 % of the time up, and no more than 80 nodes.
    pub fn new(clock: Measure) -> Self {
        Self {
            clock,
            threshold_percent: 1.0,
            max_nodes: 80,
            focus: Vec::new(),
        }
    }
}

/// Who calls whom.
#[derive(Clone, PartialEq, Debug)]
pub struct CallGraph {
    /// The methods (or classes, packages); the first is the threads' top level.
    pub nodes: Vec<GraphNode>,
    /// Calls between them, ordered by caller and callee.
    pub edges: Vec<GraphEdge>,
    /// What 100 % is, ns.
    pub total_ns: i64,
    /// The clock of all times.
    pub clock: Measure,
    /// Nodes that thresholds left out.
    pub hidden_nodes: usize,
    /// Edges that thresholds left out.
    pub hidden_edges: usize,
}

/// A method of a [`CallGraph`].
#[derive(Clone, PartialEq, Debug)]
pub struct GraphNode {
    /// Its name.
    pub function: Function,
    /// Calls while it was not open already.
    pub calls: u64,
    /// Calls while it was.
    pub recursive_calls: u64,
    /// Time with callees, outermost calls only, ns. With a focus, for those that lead to it, only
    /// the time that was spent there.
    pub inclusive_ns: i64,
    /// Time without callees, ns. With a focus, 0 for those that lead to it.
    pub exclusive_ns: i64,
    /// Whether it calls anything, shown or not.
    pub is_leaf: bool,
}

/// All calls of one method by another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GraphEdge {
    /// The caller, a place in [`CallGraph::nodes`].
    pub from: usize,
    /// The callee.
    pub to: usize,
    /// How often.
    pub calls: u64,
    /// Inclusive time of the calls while the callee was not open already, ns.
    pub inclusive_ns: i64,
    /// Inclusive time of the calls while it was, ns. It is part of an outer call's time, and
    /// calls within calls count twice.
    pub recursive_ns: i64,
    /// How many methods that are not shown stand between the two; 0 for direct calls.
    pub through: usize,
}

impl GraphEdge {
    /// The time that decides whether the edge is shown, ns.
    pub fn weight_ns(&self) -> i64 {
        self.inclusive_ns.max(self.recursive_ns)
    }
}

impl CallGraph {
    /// The share of the total, percent.
    pub fn percent(&self, ns: i64) -> f64 {
        match self.total_ns {
            total if total > 0 => ns as f64 * 100.0 / total as f64,
            _ => 0.0,
        }
    }

    /// For each node the other node that called it for the longest time, by its place in
    /// [`nodes`](Self::nodes). `None` if no other node calls it.
    pub fn heaviest_callers(&self) -> Vec<Option<usize>> {
        let from = |edge: Option<usize>| edge.map(|edge| self.edges[edge].from);
        self.heaviest_edges().into_iter().map(from).collect()
    }

    /// For each node the edge from another node with the most time.
    pub(super) fn heaviest_edges(&self) -> Vec<Option<usize>> {
        let mut best: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (at, edge) in self.edges.iter().enumerate() {
            let best = &mut best[edge.to];
            let is_better = best.is_none_or(|old| edge.inclusive_ns > self.edges[old].inclusive_ns);
            if edge.from != edge.to && is_better {
                *best = Some(at);
            }
        }
        best
    }
}
