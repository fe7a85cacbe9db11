//! The nodes of a finished tree.

use rustc_hash::FxHashMap;

use super::NodeId;
use super::arena::Node;
use super::function::FunctionId;
use super::measure::{Measure, Sums, add};

/// The nodes of a [`CallTree`](crate::CallTree), in the order of a walk from the roots down.
#[derive(Clone, Debug, Default)]
pub struct CallNodes {
    pub(super) rows: Vec<Node>,
    /// Runnable, sleeping and uninterruptible time of each row; empty where that is not known.
    pub(super) states: Vec<[i64; 3]>,
    pub(super) more_calls: FxHashMap<u32, u64>,
}

impl CallNodes {
    /// How many nodes there are, roots included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The caller; [`NodeId::NONE`] for a root.
    #[inline]
    pub fn parent(&self, node: NodeId) -> NodeId {
        NodeId(self.rows[node.row()].sibling_or_parent)
    }

    /// The first row behind the node's subtree.
    #[inline]
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.rows[node.row()].child_or_end)
    }

    /// What is called; [`FunctionId::TOPLEVEL`] for a root.
    #[inline]
    pub fn function(&self, node: NodeId) -> FunctionId {
        FunctionId(self.rows[node.row()].key)
    }

    /// How often. A root has 1.
    #[inline]
    pub fn calls(&self, node: NodeId) -> u64 {
        let low = u64::from(self.rows[node.row()].calls);
        if self.more_calls.is_empty() {
            return low;
        }
        low + (self.more_calls.get(&node.0).copied().unwrap_or(0) << 32)
    }

    /// Time including callees, ns; 0 for what was not measured.
    #[inline]
    pub fn inclusive(&self, node: NodeId, measure: Measure) -> i64 {
        let row = &self.rows[node.row()];
        match measure {
            Measure::Wall => row.wall_ns,
            Measure::Cpu => row.cpu_ns,
            Measure::Runnable => self.state(node, 0),
            Measure::Sleeping => self.state(node, 1),
            Measure::Uninterruptible => self.state(node, 2),
        }
    }

    /// Time without callees, ns. Looks at each child; where a clock stepped back it could be below
    /// zero, and is then zero.
    pub fn exclusive(&self, node: NodeId, measure: Measure) -> i64 {
        let children = self.children(node);
        let within = children.map(|child| self.inclusive(child, measure));
        let within = within.fold(0, i64::saturating_add);
        self.inclusive(node, measure).saturating_sub(within).max(0)
    }

    /// All inclusive times of a node.
    #[inline]
    pub fn inclusive_sums(&self, node: NodeId) -> Sums {
        let row = &self.rows[node.row()];
        let [runnable, sleeping, uninterruptible] =
            self.states.get(node.row()).copied().unwrap_or([0; 3]);
        [row.wall_ns, row.cpu_ns, runnable, sleeping, uninterruptible]
    }

    /// All exclusive times of a node; see [`exclusive`](Self::exclusive).
    pub fn exclusive_sums(&self, node: NodeId) -> Sums {
        let mut within = Sums::default();
        for child in self.children(node) {
            add(&mut within, &self.inclusive_sums(child));
        }
        let mut sums = self.inclusive_sums(node);
        for (sum, within) in sums.iter_mut().zip(within) {
            *sum = sum.saturating_sub(within).max(0);
        }
        sums
    }

    /// The nodes called from `node`, in the order of their first call.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(node);
        let mut next = NodeId(node.0 + 1);
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.end(child);
                child
            })
        })
    }

    /// Replaces the inclusive times of all rows, wall or CPU.
    pub(super) fn set_inclusive(&mut self, measure: Measure, times: &[i64]) {
        for (row, time) in self.rows.iter_mut().zip(times) {
            match measure {
                Measure::Wall => row.wall_ns = *time,
                Measure::Cpu => row.cpu_ns = *time,
                _ => {}
            }
        }
    }

    #[inline]
    fn state(&self, node: NodeId, nth: usize) -> i64 {
        self.states.get(node.row()).map_or(0, |times| times[nth])
    }
}
