//! Transforms of a finished tree: which calls to keep, and which to leave out.
//!
//! Each node of the tree goes to a node of the new one, adds its own time to another node, or is dropped:
//!
//! ```text
//! a             merge b     drop b     focus on b
//!   b           a           a          b
//!     c           c           d          c
//!   d             d
//! ```

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::arena::Link;
use super::function::{Function, FunctionId};
use super::measure::{Sums, add};
use super::nodes::CallNodes;
use super::{CallTree, NodeId};

/// A change of a call tree. Functions are named `class.method` with their signature, or by the name of a slice.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Transform {
    /// Only the calls of a function and what they call.
    Focus {
        /// The function.
        name: String,
    },
    /// Only the calls on one path, from the outermost function, and what they call.
    FocusSubtree {
        /// The functions of the path.
        path: Vec<String>,
    },
    /// A function is left out: its own time is added to that of its callers.
    Merge {
        /// The function.
        name: String,
    },
    /// The calls of a function are left out with all their time.
    Drop {
        /// The function.
        name: String,
    },
    /// Calls of a function within itself are part of the outermost call.
    CollapseRecursion {
        /// The function.
        name: String,
    },
    /// Calls within a package are one call, named after the package.
    CollapsePackage {
        /// The package.
        name: String,
    },
}

const NONE: u32 = u32::MAX;

/// A node of the new tree.
#[derive(Default)]
struct Node {
    parent: u32,
    function: u32,
    calls: u64,
    own: Sums,
    unfinished: Option<Sums>,
}

/// Where a node of the old tree went.
#[derive(Clone, Copy)]
struct Place {
    /// The node that has its callees, or [`NONE`] if it was dropped.
    node: u32,
    /// What the transform remembers along a path: a node, or how far a path was followed.
    state: u32,
}

#[derive(Default)]
struct Growing {
    nodes: Vec<Node>,
    known: FxHashMap<(u32, u32, bool), u32>,
}

impl Growing {
    fn child(&mut self, parent: u32, function: u32, is_unfinished: bool) -> u32 {
        let next = self.nodes.len() as u32;
        let key = (parent, function, is_unfinished);
        let node = *self.known.entry(key).or_insert(next);
        if node == next {
            self.nodes.push(Node {
                parent,
                function,
                ..Node::default()
            });
        }
        node
    }
}

impl CallTree {
    /// The same tree after a transform. Takes time linear in the tree's nodes.
    #[must_use]
    pub fn transformed(&self, transform: &Transform) -> Self {
        let mut functions = self.functions.clone();
        let is_its = self.matching(transform);
        if let Transform::CollapsePackage { name } = transform {
            functions.push(Function::named(format!("{name}.*")));
        }
        let mut growing = Growing::default();
        let mut roots = Vec::with_capacity(self.threads.len());
        for thread in &self.threads {
            roots.push(growing.nodes.len() as u32);
            self.walk(thread.root, transform, &is_its, &mut growing);
        }
        let (nodes, rows) = growing.finish(!self.nodes.states.is_empty());
        let calls = growing.nodes.iter().filter(|node| node.parent != NONE);
        let mut tree = Self {
            functions,
            nodes,
            calls: calls.map(|node| node.calls).sum(),
            threads: self.threads.clone(),
            ..self.without_nodes()
        };
        for (thread, root) in tree.threads.iter_mut().zip(roots) {
            thread.root = NodeId(rows[root as usize]);
        }
        tree
    }

    fn without_nodes(&self) -> Self {
        Self {
            origins: self.origins.clone(),
            clocks: self.clocks,
            repairs: self.repairs.clone(),
            other_slices: self.other_slices,
            clock_overhead_ns: self.clock_overhead_ns,
            ..Self::default()
        }
    }

    /// For each function, whether the transform is about it; for a path, the index in it plus one.
    fn matching(&self, transform: &Transform) -> Vec<Vec<bool>> {
        let named = |wanted: &str| {
            let is_it = |function: &Function| function.label() + &function.signature == wanted;
            self.functions.iter().map(is_it).collect()
        };
        match transform {
            Transform::FocusSubtree { path } => path.iter().map(|name| named(name)).collect(),
            Transform::CollapsePackage { name } => {
                let of_package = |function: &Function| function.package() == name;
                vec![self.functions.iter().map(of_package).collect()]
            }
            Transform::Focus { name }
            | Transform::Merge { name }
            | Transform::Drop { name }
            | Transform::CollapseRecursion { name } => vec![named(name)],
        }
    }

    /// Moves the nodes of a thread.
    fn walk(&self, root: NodeId, kind: &Transform, is_its: &[Vec<bool>], out: &mut Growing) {
        let nodes = &self.nodes;
        let first = root.row();
        let new_root = out.nodes.len() as u32;
        let unfinished = nodes.unfinished_sums(root).map(|_| Sums::default());
        let is_focus = matches!(
            kind,
            Transform::Focus { .. } | Transform::FocusSubtree { .. }
        );
        out.nodes.push(Node {
            parent: NONE,
            function: FunctionId::TOPLEVEL.0,
            calls: 1,
            own: if is_focus {
                Sums::default()
            } else {
                nodes.exclusive_sums(root)
            },
            unfinished,
        });
        let mut places = vec![Place {
            node: if is_focus { NONE } else { new_root },
            state: if is_focus { 0 } else { NONE },
        }];
        for row in first + 1..nodes.end(root).row() {
            let node = NodeId(row as u32);
            let above = places[nodes.parent(node).row() - first];
            places.push(self.place(node, above, new_root, kind, is_its, out));
        }
    }

    /// Finds the place of a node, and adds its time there.
    fn place(
        &self,
        node: NodeId,
        above: Place,
        root: u32,
        kind: &Transform,
        is_its: &[Vec<bool>],
        out: &mut Growing,
    ) -> Place {
        let function = self.nodes.function(node).0;
        let is_unfinished = self.nodes.is_unfinished(node);
        let matches = |nth: usize| is_its.get(nth).is_some_and(|is| is[function as usize]);
        // Where its callees go, what the path remembers, and whether its calls count there.
        let (to, state, counts) = match kind {
            Transform::Focus { .. } | Transform::FocusSubtree { .. } if above.node != NONE => {
                (out.child(above.node, function, is_unfinished), NONE, true)
            }
            Transform::Focus { .. } if matches(0) => {
                (out.child(root, function, is_unfinished), NONE, true)
            }
            // An ancestor already left the path.
            Transform::FocusSubtree { .. } if above.state == NONE => (NONE, NONE, false),
            Transform::FocusSubtree { path } if matches(above.state as usize) => {
                let followed = above.state + 1;
                let is_whole = followed as usize == path.len();
                let to = is_whole.then(|| out.child(root, function, is_unfinished));
                (to.unwrap_or(NONE), followed, true)
            }
            Transform::Focus { .. } | Transform::FocusSubtree { .. } => (NONE, NONE, false),
            _ if above.node == NONE => (NONE, NONE, false),
            Transform::Drop { .. } if matches(0) => (NONE, NONE, false),
            Transform::Merge { .. } if matches(0) => (above.node, NONE, false),
            Transform::CollapseRecursion { .. } if matches(0) && above.state != NONE => {
                (above.state, above.state, true)
            }
            Transform::CollapseRecursion { .. } => {
                let to = out.child(above.node, function, is_unfinished);
                (to, if matches(0) { to } else { above.state }, true)
            }
            Transform::CollapsePackage { .. } if matches(0) && above.state != NONE => {
                (above.node, above.state, false)
            }
            Transform::CollapsePackage { .. } if matches(0) => {
                let package = self.functions.len() as u32;
                let to = out.child(above.node, package, is_unfinished);
                (to, to, true)
            }
            _ => (out.child(above.node, function, is_unfinished), NONE, true),
        };
        if let Some(target) = out.nodes.get_mut(to as usize) {
            add(&mut target.own, &self.nodes.exclusive_sums(node));
            target.calls += if counts { self.nodes.calls(node) } else { 0 };
            if is_unfinished {
                let own = self.own_unfinished_sums(node);
                add(target.unfinished.get_or_insert_default(), &own);
            }
        }
        Place { node: to, state }
    }

    fn own_unfinished_sums(&self, node: NodeId) -> Sums {
        crate::Measure::ALL.map(|measure| self.nodes.own_unfinished(node, measure))
    }
}

impl Growing {
    /// The nodes in preorder, and the row of each.
    fn finish(&self, states: bool) -> (CallNodes, Vec<u32>) {
        let count = self.nodes.len();
        let mut inclusive: Vec<Sums> = self.nodes.iter().map(|node| node.own).collect();
        let mut open: Vec<Option<Sums>> = self.nodes.iter().map(|node| node.unfinished).collect();
        let mut sizes = vec![1u32; count];
        for at in (0..count).rev() {
            let parent = self.nodes[at].parent as usize;
            if parent >= count {
                continue;
            }
            sizes[parent] += sizes[at];
            let (own, unfinished) = (inclusive[at], open[at]);
            add(&mut inclusive[parent], &own);
            match (&mut open[parent], unfinished) {
                (Some(sum), Some(unfinished)) => add(sum, &unfinished),
                // A slice that ended includes the unfinished time inside it.
                (None, Some(unfinished)) => add(&mut inclusive[parent], &unfinished),
                _ => {}
            }
        }
        let mut rows = vec![0u32; count];
        let mut next = vec![0u32; count];
        let mut behind = 0;
        for at in 0..count {
            let parent = self.nodes[at].parent as usize;
            let place = next.get_mut(parent).unwrap_or(&mut behind);
            rows[at] = *place;
            *place += sizes[at];
            next[at] = rows[at] + 1;
        }
        let mut nodes = CallNodes {
            links: vec![Link([0; 4]); count],
            ..CallNodes::default()
        };
        nodes.states = if states {
            vec![[0; 3]; count]
        } else {
            Vec::new()
        };
        (0..count).for_each(|_| nodes.counts.push());
        for (at, node) in self.nodes.iter().enumerate() {
            let row = rows[at];
            let parent = rows.get(node.parent as usize).copied().unwrap_or(NONE);
            nodes.links[row as usize] = Link([node.function, row + sizes[at], parent, row]);
            let [wall_ns, cpu_ns, states @ ..] = inclusive[at];
            nodes.set(NodeId(row), [wall_ns, cpu_ns], node.calls);
            nodes.set_states(NodeId(row), states);
            nodes.counts.unfinished.set(row, open[at]);
        }
        (nodes, rows)
    }
}
