//! Several walks' trees as one.

use super::arena::Link;
use super::lane::{Counted, Lane};
use super::nodes::CallNodes;
use super::{FunctionId, NodeId};
use traceloom_trace::SmallSort;

/// One forest: the lanes in order of their first slices, each with its root.
pub(super) fn merge(mut counted: Vec<Counted>) -> (Vec<(Lane, NodeId)>, CallNodes) {
    if let [_] = &counted[..] {
        let Some(only) = counted.pop() else {
            return Default::default();
        };
        return (only.lanes.into_iter().zip(only.roots).collect(), only.nodes);
    }
    let mut order: Vec<(Lane, NodeId, usize)> = Vec::new();
    let mut all = CallNodes::default();
    let mut parts = Vec::new();
    for (part, counted) in counted.into_iter().enumerate() {
        let lanes = counted.lanes.into_iter().zip(counted.roots);
        order.extend(lanes.map(|(lane, root)| (lane, root, part)));
        // Counts stand part after part, as they were: only links have an order.
        let first_path = all.counts.append(counted.nodes.counts);
        all.states.extend(counted.nodes.states);
        parts.push((counted.nodes.links, first_path));
    }
    order.small_sort_by_key(|(lane, ..)| lane.first_slice);
    all.links = Vec::with_capacity(parts.iter().map(|(links, _)| links.len()).sum());
    let mut lanes = Vec::with_capacity(order.len());
    for (mut lane, root, part) in order {
        let (links, first_path) = &parts[part];
        lane.first_path = *first_path;
        lanes.push((lane, all.append(links, *first_path, root)));
    }
    (lanes, all)
}

impl CallNodes {
    /// Copies a subtree's links behind all others; returns its new root.
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

    /// Gives functions numbers without gaps, in the order of the rows: `keys` is how many there may
    /// be. Returns the old number of each new one.
    pub(super) fn renumber_functions(&mut self, keys: usize) -> Vec<u32> {
        let mut new = vec![u32::MAX; keys];
        let mut old = Vec::new();
        let functions = self.links.iter_mut().map(|link| &mut link.0[0]);
        for function in functions.filter(|function| **function != FunctionId::TOPLEVEL.0) {
            let number = &mut new[*function as usize];
            if *number == u32::MAX {
                *number = old.len() as u32;
                old.push(*function);
            }
            *function = *number;
        }
        old
    }
}
