//! The times of nodes whose slices never ended, once their children are counted.

use super::NodeId;
use super::measure::{Sums, add, take};
use super::nodes::CallNodes;

impl CallNodes {
    /// Computes the times of slices that never ended from their spans and the nodes inside. `rows`
    /// are their nodes, in any order. Differences stay negative where time stepped back, so that
    /// sums stay correct.
    pub(super) fn settle(&mut self, mut rows: Vec<NodeId>) {
        // Children have higher rows.
        rows.sort_unstable();
        for node in rows.into_iter().rev() {
            let within = self.inclusive_of_children(node);
            let path = self.path(node);
            let mut rest = self.counts.unfinished.get(path).copied();
            if let Some(rest) = &mut rest {
                take(rest, &within);
            }
            let [wall_ns, cpu_ns, states @ ..] = within;
            self.set(node, [wall_ns, cpu_ns], self.calls(node));
            self.set_states(node, states);
            self.counts.unfinished.set(path, rest);
        }
    }

    /// The inclusive times of the children of a node.
    pub(super) fn inclusive_of_children(&self, node: NodeId) -> Sums {
        let mut sums = Sums::default();
        for child in self.children(node) {
            add(&mut sums, &self.inclusive_sums(child));
        }
        sums
    }

    /// The unfinished times of the children of a node; `None` if none of them has any.
    pub(super) fn unfinished_of_children(&self, node: NodeId) -> Option<Sums> {
        if self.counts.unfinished.is_empty() {
            return None;
        }
        let mut sums: Option<Sums> = None;
        for child in self.children(node) {
            if let Some(times) = self.unfinished_sums(child) {
                add(sums.get_or_insert_default(), times);
            }
        }
        sums
    }
}
