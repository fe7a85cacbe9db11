//! Analyses of traces: a trace in, a result out. No files, no screen.

mod diff;
mod graph;
mod profile;
mod tree;

pub use diff::{Change, Diff, DiffMetric, DiffRow, Presence, Verdict};
pub use graph::{CallGraph, GraphEdge, GraphNode, GraphOptions};
pub use profile::*;
pub use tree::*;
