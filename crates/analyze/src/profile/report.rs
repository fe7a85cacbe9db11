//! One method in detail, in Traceview's four sections.

use std::cmp::Reverse;

use serde::Serialize;
use traceloom_trace::sort;

use super::edges::Edge;
use super::rows::{Profile, ProfileRow};
use crate::tree::{CallTree, Function, Measure, NodeId, Sums, Times, add};

/// A method with its callers and callees.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MethodReport {
    /// The method's own row.
    pub row: ProfileRow,
    /// Its exclusive time in outermost activations. Together with the children, this is its
    /// inclusive time.
    pub own: Times,
    /// Callers while it is not open.
    pub parents: Vec<ReportEdge>,
    /// Callees of outermost activations.
    pub children: Vec<ReportEdge>,
    /// Callers while it is already open.
    pub recursive_parents: Vec<ReportEdge>,
    /// Callees of recursive activations.
    pub recursive_children: Vec<ReportEdge>,
}

/// A caller or callee of a [`MethodReport`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReportEdge {
    /// The rank of the other method; 0 for `(toplevel)`.
    pub rank: u32,
    /// The other method.
    #[serde(flatten)]
    pub function: Function,
    /// Calls along this edge.
    pub calls: u64,
    /// All calls of the callee.
    pub of_calls: u64,
    /// Inclusive time of these calls.
    pub inclusive: Times,
}

impl Profile {
    /// The four sections of a row. Takes one pass over the profiled tree.
    pub fn report(&self, tree: &CallTree, row: usize) -> MethodReport {
        let mut report = MethodReport {
            row: self.rows[row].clone(),
            own: self.outermost_exclusive(tree, row),
            parents: Vec::new(),
            children: Vec::new(),
            recursive_parents: Vec::new(),
            recursive_children: Vec::new(),
        };
        for edge in self.edges_of(tree, row) {
            if edge.callee == row {
                let parents = if edge.callee_recursive {
                    &mut report.recursive_parents
                } else {
                    &mut report.parents
                };
                merge(parents, self.seen_from(&edge, edge.caller));
            }
            if edge.caller == Some(row) {
                let children = if edge.caller_recursive {
                    &mut report.recursive_children
                } else {
                    &mut report.children
                };
                merge(children, self.seen_from(&edge, Some(edge.callee)));
            }
        }
        report.sort(self.clock);
        report
    }

    fn outermost_exclusive(&self, tree: &CallTree, row: usize) -> Times {
        let recursive = self.recursive_nodes(tree);
        let mut own = Sums::default();
        for thread in &tree.threads {
            for at in tree.rows_of(thread) {
                let node = NodeId(at as u32);
                if !recursive[at] && self.row_of(tree, node) == Some(row) {
                    add(&mut own, &tree.nodes.exclusive_sums(node));
                }
            }
        }
        self.clocks.times(&own)
    }

    fn seen_from(&self, edge: &Edge, other: Option<usize>) -> ReportEdge {
        let other = other.map(|row| &self.rows[row]);
        ReportEdge {
            rank: other.map_or(0, |row| row.rank),
            function: other
                .map_or_else(|| Function::named("(toplevel)"), |row| row.function.clone()),
            calls: edge.calls,
            of_calls: self.rows[edge.callee].all_calls(),
            inclusive: edge.inclusive,
        }
    }
}

/// Adds an edge to the row of the same method in a section, if there is one. One row can have
/// several edges.
fn merge(section: &mut Vec<ReportEdge>, edge: ReportEdge) {
    match section.last_mut().filter(|last| last.rank == edge.rank) {
        Some(last) => {
            last.calls += edge.calls;
            last.inclusive = last.inclusive.plus(&edge.inclusive);
        }
        None => section.push(edge),
    }
}

impl MethodReport {
    fn sort(&mut self, clock: Measure) {
        for section in [
            &mut self.parents,
            &mut self.children,
            &mut self.recursive_parents,
            &mut self.recursive_children,
        ] {
            sort::by_key(section, |edge| {
                (Reverse(edge.inclusive.get(clock)), edge.rank)
            });
        }
    }
}
