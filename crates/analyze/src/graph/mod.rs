//! The call graph of a trace: who calls whom and what it costs, without what is too small to see.
//! `traceloom-graph` draws it.

mod build;
mod model;
mod prune;

pub use model::{CallGraph, GraphEdge, GraphNode, GraphOptions};

use crate::profile::Profile;
use crate::tree::CallTree;

impl CallGraph {
    /// The graph of a tree, with the grouping of `profile` (which must be of that tree) and
    /// without what `options` leaves out. Takes time linear in the tree's nodes.
    pub fn new(tree: &CallTree, profile: &Profile, options: &GraphOptions) -> Self {
        let mut graph = build::build(tree, profile, options.clock, &options.focus);
        prune::prune(&mut graph, options);
        graph
    }
}
