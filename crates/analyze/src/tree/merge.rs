//! Merges the trees of several walks.

use traceloom_trace::sort;

use super::NodeId;
use super::arena::Link;
use super::lane::{Counted, Lane};
use super::nodes::CallNodes;

/// Merges everything into one forest: the lanes in order of their first slices, each with its root.
pub(super) fn merge(counted: Vec<Counted>) -> Counted {
    let mut order: Vec<(Lane, NodeId, usize)> = Vec::new();
    let mut all = CallNodes::default();
    let mut parts = Vec::new();
    let mut calls = 0;
    for (part, counted) in counted.into_iter().enumerate() {
        let lanes = counted.lanes.into_iter().zip(counted.roots);
        order.extend(lanes.map(|(lane, root)| (lane, root, part)));
        // Counts keep their order, part after part; only links are reordered.
        let first_path = all.counts.append(counted.nodes.counts);
        all.states.extend(counted.nodes.states);
        parts.push((counted.nodes.links, first_path));
        calls += counted.calls;
    }
    sort::by_key(&mut order, |(lane, ..)| lane.first_slice);
    all.links = Vec::with_capacity(parts.iter().map(|(links, _)| links.len()).sum());
    let (mut lanes, mut roots) = (Vec::new(), Vec::new());
    for (mut lane, root, part) in order {
        let (links, first_path) = &parts[part];
        lane.first_path = *first_path;
        roots.push(all.append(links, *first_path, root));
        lanes.push(lane);
    }
    Counted {
        lanes,
        nodes: all,
        roots,
        calls,
    }
}

impl CallNodes {
    /// Appends a copy of a subtree; returns its new root.
    fn append(&mut self, from: &[Link], first_path: u32, root: NodeId) -> NodeId {
        let new_root = NodeId(self.len() as u32);
        let (start, end) = (root.row(), from[root.row()].0[1] as usize);
        let moved = |row: u32| match row {
            u32::MAX => u32::MAX,
            row => new_root.0 + (row - root.0),
        };
        let links = from[start..end].iter().map(|link| {
            let [function, behind, parent, path] = link.0;
            Link([function, moved(behind), moved(parent), first_path + path])
        });
        self.links.extend(links);
        new_root
    }
}
