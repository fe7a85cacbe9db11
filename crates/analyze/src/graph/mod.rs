//! The call graph: who calls whom and what it cost, cut down to what matters, as a picture (SVG)
//! or for Graphviz (DOT).
//!
//! ```text
//! tree ─► build.rs ─► prune.rs ─► layers.rs ─► order.rs ─► place.rs ─► svg.rs
//!         nodes and   thresholds  rows         few          columns      picture
//!         edges                                crossings
//!                        └──────────────────────────────────────────► dot.rs
//! ```
//!
//! Pruning comes before the layout, so that a picture of a trace of any size takes the time of
//! the nodes it shows.

mod build;
mod dot;
mod label;
mod layers;
mod order;
mod pen;
mod place;
mod prune;
mod svg;

use crate::profile::Profile;
use crate::tree::{CallTree, Function, Measure};

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
    /// What decides whether the edge is shown, ns.
    fn weight_ns(&self) -> i64 {
        self.inclusive_ns.max(self.recursive_ns)
    }
}

impl CallGraph {
    /// The graph of a tree, with the grouping of `profile` (which must be of that tree) and
    /// without what `options` leaves out. Takes time linear in the tree's nodes.
    pub fn new(tree: &CallTree, profile: &Profile, options: &GraphOptions) -> Self {
        let mut graph = build::build(tree, profile, options.clock, &options.focus);
        prune::prune(&mut graph, options);
        graph
    }

    /// The share of the total, percent.
    pub fn percent(&self, ns: i64) -> f64 {
        match self.total_ns {
            total if total > 0 => ns as f64 * 100.0 / total as f64,
            _ => 0.0,
        }
    }

    /// The graph in Graphviz's language. `title` is drawn above it.
    pub fn to_dot(&self, title: &str) -> String {
        dot::write(self, title)
    }

    /// The graph as a picture that needs nothing else: no fonts, scripts or network. `title` is
    /// drawn above it.
    ///
    /// Edges whose way would make the layout slow are left out and counted in the picture's head.
    pub fn to_svg(&self, title: &str) -> String {
        svg::write(self, title)
    }
}
