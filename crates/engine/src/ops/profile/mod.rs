//! The profile: its rows, one method in detail, the call tree, flame graphs, ranks, the call graph, a diff.

mod diff;
mod flame;
mod graph;
mod ranked;
mod rows;
mod texts;
mod tree;

pub(super) use diff::diff;
pub(super) use flame::flame;
pub(super) use graph::graph;
pub(super) use rows::{method, profile, ranks};
pub(super) use tree::tree;
