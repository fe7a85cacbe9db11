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
            let root = growing.nodes.len() as u32;
            roots.push(root);
            let mut moving = Moving {
                from: self,
                transform,
                is_its: &is_its,
                root,
                out: &mut growing,
            };
            moving.walk(thread.root);
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

    fn own_unfinished_sums(&self, node: NodeId) -> Sums {
        crate::Measure::ALL.map(|measure| self.nodes.own_unfinished(node, measure))
    }
}

/// Moves the nodes of a thread to the new tree.
struct Moving<'t> {
    from: &'t CallTree,
    transform: &'t Transform,
    /// For each function, whether the transform is about it; several for a path.
    is_its: &'t [Vec<bool>],
    /// The root of the thread in the new tree.
    root: u32,
    out: &'t mut Growing,
}

/// The node that has the callees of a moved node, what the transform remembers, and whether its calls count there.
type Step = (u32, u32, bool);

const DROPPED: Step = (NONE, NONE, false);

impl Moving<'_> {
    /// Moves the nodes below `root` of the old tree, and the root itself.
    fn walk(&mut self, root: NodeId) {
        let nodes = &self.from.nodes;
        let first = root.row();
        let mut places = vec![self.place_of_root(root)];
        for row in first + 1..nodes.end(root).row() {
            let node = NodeId(row as u32);
            let above = places[nodes.parent(node).row() - first];
            let (to, state, counts) = self.step(node, above);
            self.add_times(node, to, counts);
            places.push(Place { node: to, state });
        }
    }

    fn place_of_root(&mut self, root: NodeId) -> Place {
        let nodes = &self.from.nodes;
        let (own, node, state) = if self.is_focus() {
            (Sums::default(), NONE, 0)
        } else {
            (nodes.exclusive_sums(root), self.root, NONE)
        };
        self.out.nodes.push(Node {
            parent: NONE,
            function: FunctionId::TOPLEVEL.0,
            calls: 1,
            own,
            unfinished: nodes.unfinished_sums(root).map(|_| Sums::default()),
        });
        Place { node, state }
    }

    fn is_focus(&self) -> bool {
        let transform = self.transform;
        matches!(
            transform,
            Transform::Focus { .. } | Transform::FocusSubtree { .. }
        )
    }

    fn step(&mut self, node: NodeId, above: Place) -> Step {
        match (self.is_focus(), above.node) {
            (true, NONE) => self.search(node, above.state),
            (true, above) => (self.child(above, node), NONE, true),
            (false, NONE) => DROPPED,
            (false, _) => self.change(node, above),
        }
    }

    /// A node outside of what is in focus. `followed` is the length of the path that was followed so far, or [`NONE`] if
    /// an ancestor left the path.
    fn search(&mut self, node: NodeId, followed: u32) -> Step {
        match self.transform {
            Transform::Focus { .. } if self.is_its(0, node) => {
                (self.child(self.root, node), NONE, true)
            }
            Transform::FocusSubtree { path } if self.is_its(followed as usize, node) => {
                let followed = followed + 1;
                let is_whole = followed as usize == path.len();
                let to = if is_whole {
                    self.child(self.root, node)
                } else {
                    NONE
                };
                (to, followed, true)
            }
            _ => DROPPED,
        }
    }

    fn change(&mut self, node: NodeId, above: Place) -> Step {
        let is_it = self.is_its(0, node);
        match self.transform {
            Transform::Drop { .. } if is_it => DROPPED,
            Transform::Merge { .. } if is_it => (above.node, NONE, false),
            Transform::CollapseRecursion { .. } if is_it && above.state != NONE => {
                (above.state, above.state, true)
            }
            Transform::CollapseRecursion { .. } => {
                let to = self.child(above.node, node);
                (to, if is_it { to } else { above.state }, true)
            }
            Transform::CollapsePackage { .. } if is_it && above.state != NONE => {
                (above.node, above.state, false)
            }
            Transform::CollapsePackage { .. } if is_it => {
                let package = self.from.functions.len() as u32;
                let is_unfinished = self.from.nodes.is_unfinished(node);
                let to = self.out.child(above.node, package, is_unfinished);
                (to, to, true)
            }
            _ => (self.child(above.node, node), NONE, true),
        }
    }

    /// Whether the function of a node is the `nth` of the transform.
    fn is_its(&self, nth: usize, node: NodeId) -> bool {
        let function = self.from.nodes.function(node).0 as usize;
        self.is_its.get(nth).is_some_and(|is_it| is_it[function])
    }

    /// The callee of a new node with the function of an old one.
    fn child(&mut self, parent: u32, node: NodeId) -> u32 {
        let nodes = &self.from.nodes;
        let (function, is_unfinished) = (nodes.function(node).0, nodes.is_unfinished(node));
        self.out.child(parent, function, is_unfinished)
    }

    /// Adds the times of an old node to a new one, if it has one.
    fn add_times(&mut self, node: NodeId, to: u32, counts: bool) {
        let nodes = &self.from.nodes;
        let Some(target) = self.out.nodes.get_mut(to as usize) else {
            return;
        };
        add(&mut target.own, &nodes.exclusive_sums(node));
        target.calls += if counts { nodes.calls(node) } else { 0 };
        if nodes.is_unfinished(node) {
            let own = self.from.own_unfinished_sums(node);
            add(target.unfinished.get_or_insert_default(), &own);
        }
    }
}

impl Growing {
    /// The nodes in preorder, and the row of each.
    fn finish(&self, states: bool) -> (CallNodes, Vec<u32>) {
        let count = self.nodes.len();
        let sizes = self.sizes();
        let rows = self.rows(&sizes);
        let sums = self.sums();
        let mut nodes = CallNodes {
            links: vec![Link([0; 4]); count],
            states: vec![[0; 3]; if states { count } else { 0 }],
            ..CallNodes::default()
        };
        (0..count).for_each(|_| nodes.counts.push());
        for (at, node) in self.nodes.iter().enumerate() {
            let row = rows[at];
            let parent = rows.get(node.parent as usize).copied().unwrap_or(NONE);
            nodes.links[row as usize] = Link([node.function, row + sizes[at], parent, row]);
            let (inclusive, unfinished) = sums[at];
            let [wall_ns, cpu_ns, states @ ..] = inclusive;
            nodes.set(NodeId(row), [wall_ns, cpu_ns], node.calls);
            nodes.set_states(NodeId(row), states);
            nodes.counts.unfinished.set(row, unfinished);
        }
        (nodes, rows)
    }

    /// The number of nodes in each subtree. Parents come before their children.
    fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1u32; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let own = sizes[at];
            if let Some(size) = sizes.get_mut(node.parent as usize) {
                *size += own;
            }
        }
        sizes
    }

    /// The place of each node in preorder.
    fn rows(&self, sizes: &[u32]) -> Vec<u32> {
        let mut rows = Vec::with_capacity(sizes.len());
        // For each node, the place of its next child; for all roots, that of the next root.
        let mut next = Vec::with_capacity(sizes.len());
        let mut next_root = 0;
        for (node, size) in self.nodes.iter().zip(sizes) {
            let place = next.get_mut(node.parent as usize);
            let place = place.unwrap_or(&mut next_root);
            let row = *place;
            *place += size;
            rows.push(row);
            next.push(row + 1);
        }
        rows
    }

    /// The inclusive times of each node, and its unfinished times if it never ended.
    fn sums(&self) -> Vec<(Sums, Option<Sums>)> {
        let own = self.nodes.iter().map(|node| (node.own, node.unfinished));
        let mut sums: Vec<(Sums, Option<Sums>)> = own.collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let (inclusive, unfinished) = sums[at];
            let Some(parent) = sums.get_mut(node.parent as usize) else {
                continue;
            };
            add(&mut parent.0, &inclusive);
            if let Some(unfinished) = unfinished {
                // A slice that ended includes the unfinished time inside it.
                add(parent.1.as_mut().unwrap_or(&mut parent.0), &unfinished);
            }
        }
        sums
    }
}
