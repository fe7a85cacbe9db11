//! The call graph of a trace: callers, callees and their costs, without insignificant parts.
//! `traceloom-graph` draws it.

mod build;
mod model;
mod prune;

pub use model::{CallGraph, GraphEdge, GraphNode, GraphOptions};

use crate::profile::Profile;
use crate::tree::CallTree;

impl CallGraph {
    /// The graph of a tree. Methods are grouped as in `profile`, which must be made from that tree.
    /// `options` selects what is left out. Takes time linear in the tree's nodes.
    pub fn new(tree: &CallTree, profile: &Profile, options: &GraphOptions) -> Self {
        let mut graph = build::build(tree, profile, options.clock, &options.focus);
        prune::prune(&mut graph, options);
        graph
    }
}
