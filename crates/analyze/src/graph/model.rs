//! The call graph: methods, the calls between them, and their costs.

use crate::percent;
use crate::tree::{Function, Measure};

/// Options of a call graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// The clock of all its times.
    pub clock: Measure,
    /// Nodes and edges below this share of the total inclusive time are left out, percent.
    pub threshold_percent: f64,
    /// The maximum number of nodes, at least 1. Those with the most inclusive time are kept.
    pub max_nodes: usize,
    /// Keeps only calls that lead to or come from these rows of the profile; empty keeps all.
    pub focus: Vec<usize>,
}

impl GraphOptions {
    /// Default options: nodes and edges from 1 % of the time, and at most 80 nodes.
    pub fn new(clock: Measure) -> Self {
        Self {
            clock,
            threshold_percent: 1.0,
            max_nodes: 80,
            focus: Vec::new(),
        }
    }
}

/// A call graph. If it counts samples, all times (`…_ns`) and calls in it are numbers of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct CallGraph {
    /// The methods (or classes, packages). The first node is the threads' top level.
    pub nodes: Vec<GraphNode>,
    /// Calls between them, ordered by caller and callee.
    pub edges: Vec<GraphEdge>,
    /// The time that corresponds to 100 %, ns.
    pub total_ns: i64,
    /// The clock of all times.
    pub clock: Measure,
    /// Whether samples are counted instead of time.
    pub counts_samples: bool,
    /// The number of nodes left out because of thresholds.
    pub hidden_nodes: usize,
    /// The number of edges left out because of thresholds.
    pub hidden_edges: usize,
}

/// A method of a [`CallGraph`].
#[derive(Clone, PartialEq, Debug)]
pub struct GraphNode {
    /// Its name.
    pub function: Function,
    /// The number of calls, except recursive ones.
    pub calls: u64,
    /// The number of calls while the method was already open.
    pub recursive_calls: u64,
    /// Inclusive time of the outermost calls, ns. With a focus, methods that lead to it have only
    /// the time spent in the focus.
    pub inclusive_ns: i64,
    /// Exclusive time, ns. With a focus, 0 for methods that lead to it.
    pub exclusive_ns: i64,
    /// Whether it calls no other method, shown or not.
    pub is_leaf: bool,
}

/// All calls of one method by another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GraphEdge {
    /// The caller, an index into [`CallGraph::nodes`].
    pub from: usize,
    /// The callee.
    pub to: usize,
    /// The number of calls.
    pub calls: u64,
    /// Inclusive time of the calls while the callee was not already open, ns.
    pub inclusive_ns: i64,
    /// Inclusive time of the recursive calls, ns. It is part of an outer call's time, and nested
    /// recursive calls count several times.
    pub recursive_ns: i64,
    /// The number of hidden methods between the two; 0 for direct calls.
    pub through: usize,
}

impl GraphEdge {
    /// The time that decides whether the edge is shown, ns.
    pub fn weight_ns(&self) -> i64 {
        self.inclusive_ns.max(self.recursive_ns)
    }
}

impl CallGraph {
    /// The share of the total time, percent.
    pub fn percent(&self, ns: i64) -> f64 {
        percent(ns, self.total_ns)
    }

    /// For each node, the index of the other node that called it for the longest time. `None` if no
    /// other node calls it.
    pub fn heaviest_callers(&self) -> Vec<Option<usize>> {
        let from = |edge: Option<usize>| edge.map(|edge| self.edges[edge].from);
        self.heaviest_edges().into_iter().map(from).collect()
    }

    /// For each node, the edge with the most time that comes from another node.
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
