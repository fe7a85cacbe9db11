//! The nodes of a finished tree.

use super::NodeId;
use super::arena::Link;
use super::counts::Counts;
use super::function::FunctionId;
use super::measure::{Measure, Sums, add};

/// The nodes of a [`CallTree`](crate::CallTree) in preorder.
#[derive(Clone, Debug, Default)]
pub struct CallNodes {
    pub(super) links: Vec<Link>,
    pub(super) counts: Counts,
    /// Runnable, sleeping and uninterruptible time, indexed like the counts; empty if unknown.
    pub(super) states: Vec<[i64; 3]>,
}

impl CallNodes {
    /// The number of nodes, including roots.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The caller; [`NodeId::NONE`] for a root.
    #[inline]
    pub fn parent(&self, node: NodeId) -> NodeId {
        NodeId(self.links[node.row()].0[2])
    }

    /// The first row after the subtree of a node.
    #[inline]
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.links[node.row()].0[1])
    }

    /// The function of a node; [`FunctionId::TOPLEVEL`] for a root.
    #[inline]
    pub fn function(&self, node: NodeId) -> FunctionId {
        FunctionId(self.links[node.row()].0[0])
    }

    /// The number of calls; 1 for a root.
    #[inline]
    pub fn calls(&self, node: NodeId) -> u64 {
        self.counts.calls(self.path(node))
    }

    /// The number of calls of all rows, including roots.
    pub(super) fn all_calls(&self) -> u64 {
        self.counts.all_calls()
    }

    /// Time including callees, ns; 0 if not measured.
    #[inline]
    pub fn inclusive(&self, node: NodeId, measure: Measure) -> i64 {
        match measure {
            Measure::Wall => self.counts.times(self.path(node))[0],
            Measure::Cpu => self.counts.times(self.path(node))[1],
            Measure::Runnable => self.state(node, 0),
            Measure::Sleeping => self.state(node, 1),
            Measure::Uninterruptible => self.state(node, 2),
        }
    }

    /// Time excluding callees, ns. It visits each child. A negative value, which a clock that
    /// stepped back can cause, becomes zero.
    pub fn exclusive(&self, node: NodeId, measure: Measure) -> i64 {
        let children = self.children(node);
        let within = children.map(|child| self.inclusive(child, measure));
        let within = within.fold(0, i64::saturating_add);
        let unfinished = self.unfinished_inside(node);
        let within = unfinished.map_or(within, |inside| {
            within.saturating_add(inside[measure as usize])
        });
        self.inclusive(node, measure).saturating_sub(within).max(0)
    }

    /// Of slices that never ended: the time beyond the finished slices inside them, ns; 0 if all
    /// ended. A negative value, which a clock that stepped back can cause, becomes zero.
    pub fn unfinished(&self, node: NodeId, measure: Measure) -> i64 {
        let times = self.unfinished_sums(node);
        times.map_or(0, |times| times[measure as usize].max(0))
    }

    /// The unfinished time of a node without that of its children, ns.
    pub(crate) fn own_unfinished(&self, node: NodeId, measure: Measure) -> i64 {
        let inside = self.unfinished_of_children(node).unwrap_or_default();
        let own = self.unfinished(node, measure);
        own.saturating_sub(inside[measure as usize]).max(0)
    }

    /// Whether the slices of a node never ended.
    pub fn is_unfinished(&self, node: NodeId) -> bool {
        self.unfinished_sums(node).is_some() && self.function(node) != FunctionId::TOPLEVEL
    }

    /// Whether any node has unfinished time.
    pub fn has_unfinished(&self) -> bool {
        self.counts.unfinished.has_times()
    }

    /// All unfinished times of a node. `None` if its slices ended, and for a root above such nodes
    /// only. They can be negative where a clock stepped back.
    #[inline]
    pub(crate) fn unfinished_sums(&self, node: NodeId) -> Option<&Sums> {
        self.counts.unfinished.get(self.path(node))
    }

    /// The part of a node's inclusive time that is unfinished time of its children. There is none if the node has
    /// unfinished time itself, which then includes theirs.
    fn unfinished_inside(&self, node: NodeId) -> Option<Sums> {
        match self.unfinished_sums(node) {
            Some(_) => None,
            None => self.unfinished_of_children(node),
        }
    }

    /// All inclusive times of a node.
    #[inline]
    pub fn inclusive_sums(&self, node: NodeId) -> Sums {
        let path = self.path(node);
        let [wall_ns, cpu_ns] = self.counts.times(path);
        let states = self.states.get(path as usize).copied();
        let [runnable, sleeping, uninterruptible] = states.unwrap_or([0; 3]);
        [wall_ns, cpu_ns, runnable, sleeping, uninterruptible]
    }

    /// All exclusive times of a node; see [`exclusive`](Self::exclusive).
    pub fn exclusive_sums(&self, node: NodeId) -> Sums {
        let mut within = self.inclusive_of_children(node);
        if let Some(inside) = self.unfinished_inside(node) {
            add(&mut within, &inside);
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

    /// Renumbers functions without gaps, in row order. `keys` is the number of possible functions, and `function` has
    /// the function of each key. Returns the old number of each new one.
    pub(super) fn renumber_functions(
        &mut self,
        keys: usize,
        function: impl Fn(u32) -> u32,
    ) -> Vec<u32> {
        let mut new = vec![u32::MAX; keys];
        let mut old = Vec::new();
        let functions = self.links.iter_mut().map(|link| &mut link.0[0]);
        for key in functions.filter(|key| **key != FunctionId::TOPLEVEL.0) {
            let function = function(*key);
            let number = &mut new[function as usize];
            if *number == u32::MAX {
                *number = old.len() as u32;
                old.push(function);
            }
            *key = *number;
        }
        old
    }

    /// Replaces the inclusive times of all rows, wall or CPU.
    pub(super) fn set_inclusive(&mut self, measure: Measure, times: &[i64]) {
        for (row, &time) in times.iter().enumerate() {
            let node = NodeId(row as u32);
            let [wall_ns, cpu_ns] = self.counts.times(self.path(node));
            let both = match measure {
                Measure::Wall => [time, cpu_ns],
                Measure::Cpu => [wall_ns, time],
                _ => return,
            };
            self.set(node, both, self.calls(node));
        }
    }

    /// Replaces wall and CPU time and the calls of a row.
    pub(super) fn set(&mut self, node: NodeId, times: [i64; 2], calls: u64) {
        self.counts.set(self.path(node), times, calls);
    }

    /// Replaces the times in thread states of a row, if the tree has them.
    pub(super) fn set_states(&mut self, node: NodeId, times: [i64; 3]) {
        let path = self.path(node) as usize;
        if let Some(place) = self.states.get_mut(path) {
            *place = times;
        }
    }

    #[inline]
    fn state(&self, node: NodeId, nth: usize) -> i64 {
        let times = self.states.get(self.path(node) as usize);
        times.map_or(0, |times| times[nth])
    }

    /// The index of the counts of a row.
    #[inline]
    pub(super) fn path(&self, node: NodeId) -> u32 {
        self.links[node.row()].0[3]
    }
}
