//! How clocks relate: the value of one clock when another shows 0.
//!
//! ```text
//! rows of a.pftrace ──0── boot of phone ──+500── boot of server ──0── rows of b.pftrace
//!                              │
//!                          realtime of phone
//! ```

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::manifest::Clock;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// The times in the rows of a piece.
    Rows(usize),
    /// A clock of a machine.
    Machine(usize, Clock),
    /// A clock of a machine as one piece saw it. Another piece may be from another run, in which the clock differs.
    Piece(usize, Clock),
    /// The clock of a single file.
    File(usize),
}

/// Clocks and the distances between them, ns.
#[derive(Default)]
pub(super) struct Graph {
    edges: FxHashMap<Node, Vec<(Node, i128)>>,
}

impl Graph {
    /// When `from` shows 0, `to` shows `distance`.
    pub fn relate(&mut self, from: Node, to: Node, distance: i128) {
        self.edges.entry(from).or_default().push((to, distance));
        self.edges.entry(to).or_default().push((from, -distance));
    }

    /// The value of `to` when `from` shows 0, along the fewest steps.
    pub fn distance(&self, from: Node, to: Node) -> Option<i128> {
        let mut known = FxHashMap::default();
        known.insert(from, 0);
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            let here: i128 = *known.get(&node)?;
            if node == to {
                return Some(here);
            }
            for (next, step) in self.edges.get(&node).into_iter().flatten() {
                if !known.contains_key(next) {
                    known.insert(*next, here + step);
                    waiting.push_back(*next);
                }
            }
        }
        None
    }

    /// Whether clocks are connected.
    pub fn connects(&self, from: Node, to: Node) -> bool {
        self.distance(from, to).is_some()
    }
}
