//! The dominator tree: a node's dominator is the last other node that is on every path from the root to it.
//!
//! The algorithm is the simple form of Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph"
//! (1979): O(m log n). Its names are used here. Nodes are numbered in the order of a search from the root.

use rusqlite::types::ValueRef;

use super::edges::Graph;
use super::table::{cell, numbers};
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::Cell;

const NONE: usize = usize::MAX;

/// `__intrinsic_dominator_tree(edges, root)`: the nodes that the root reaches, each with its dominator.
pub(crate) fn run(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let mut roots = Vec::new();
    numbers(tables.get(1), |[name]| {
        roots.extend(name);
        Ok(())
    })?;
    let graph = Graph::new(tables.first(), &roots, meter)?;
    match roots[..] {
        [root] => of(&graph, root, meter),
        [] if graph.names.is_empty() => Ok(Cells::new()),
        _ => Err(Failure::refused("a dominator tree has one root")),
    }
}

/// Like [`run`], for edges with the root in a third column.
pub(crate) fn with_root(table: Option<&ValueRef<'_>>, meter: &mut Meter) -> Result<Cells, Failure> {
    let graph = Graph::weighted(table, &[], meter)?;
    let Some(&root) = graph.weights.first() else {
        return Ok(Cells::new());
    };
    match graph.number(root) {
        Some(_) => of(&graph, root, meter),
        None => Ok(vec![Cell::Integer(root), Cell::Null]),
    }
}

/// The dominators of the nodes that a root reaches.
fn of(graph: &Graph, root: i64, meter: &mut Meter) -> Result<Cells, Failure> {
    // The memory for the algorithm's state of a node, and for the node's row in the result.
    meter.grow(graph.names.len() * (64 + 2 * size_of::<Cell>()))?;
    let mut forest = Forest::new(graph, graph.number(root).unwrap_or(0), meter)?;
    let dominators = forest.dominators(graph, meter)?;
    let name = |number: usize| forest.nodes.get(number).and_then(|node| graph.name(*node));
    let row = |(number, dominator): (usize, &usize)| [cell(name(number)), cell(name(*dominator))];
    Ok(dominators.iter().enumerate().flat_map(row).collect())
}

/// The state of the algorithm.
struct Forest {
    /// The node of each number.
    nodes: Vec<u32>,
    /// The number of each node, or [`NONE`] if the root does not reach it.
    numbers: Vec<usize>,
    parent: Vec<usize>,
    semi: Vec<usize>,
    ancestor: Vec<usize>,
    label: Vec<usize>,
}

impl Forest {
    /// Numbers the nodes by a search from the root.
    fn new(graph: &Graph, root: u32, meter: &mut Meter) -> Result<Self, Failure> {
        let mut it = Self {
            nodes: Vec::new(),
            numbers: vec![NONE; graph.names.len()],
            parent: Vec::new(),
            semi: Vec::new(),
            ancestor: Vec::new(),
            label: Vec::new(),
        };
        let mut stack = vec![(root, NONE)];
        while let Some((node, parent)) = stack.pop() {
            if it.numbers[node as usize] != NONE {
                continue;
            }
            let number = it.nodes.len();
            it.numbers[node as usize] = number;
            it.nodes.push(node);
            it.parent.push(parent);
            for next in graph.after(node) {
                meter.tick()?;
                if it.numbers[next as usize] == NONE {
                    stack.push((next, number));
                }
            }
        }
        let count = it.nodes.len();
        it.semi = (0..count).collect();
        it.label = (0..count).collect();
        it.ancestor = vec![NONE; count];
        Ok(it)
    }

    /// The number of the dominator of each number; [`NONE`] for the root.
    fn dominators(&mut self, graph: &Graph, meter: &mut Meter) -> Result<Vec<usize>, Failure> {
        let count = self.nodes.len();
        let numbers = &self.numbers;
        let back = graph.edges.iter().filter_map(|(from, to)| {
            let (from, to) = (numbers[*from as usize], numbers[*to as usize]);
            (from != NONE && to != NONE).then_some((to, from as u32))
        });
        let before = Groups::new(count, back);
        let mut bucket: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut dominators = vec![NONE; count];
        for w in (1..count).rev() {
            for &v in before.of(w) {
                meter.tick()?;
                let u = self.eval(v as usize, meter)?;
                self.semi[w] = self.semi[w].min(self.semi[u]);
            }
            bucket[self.semi[w]].push(w);
            let parent = self.parent[w];
            self.ancestor[w] = parent;
            for v in std::mem::take(&mut bucket[parent]) {
                let u = self.eval(v, meter)?;
                dominators[v] = if self.semi[u] < self.semi[v] {
                    u
                } else {
                    parent
                };
            }
        }
        for w in 1..count {
            if dominators[w] != self.semi[w] {
                dominators[w] = dominators[dominators[w]];
            }
        }
        Ok(dominators)
    }

    /// The number with the lowest semidominator on the path up from `v`.
    fn eval(&mut self, v: usize, meter: &mut Meter) -> Result<usize, Failure> {
        if self.ancestor[v] == NONE {
            return Ok(v);
        }
        self.compress(v, meter)?;
        Ok(self.label[v])
    }

    /// Shortens the path up from `v`.
    fn compress(&mut self, v: usize, meter: &mut Meter) -> Result<(), Failure> {
        let mut path = Vec::new();
        let mut at = v;
        while self.ancestor[self.ancestor[at]] != NONE {
            meter.tick()?;
            path.push(at);
            at = self.ancestor[at];
        }
        for at in path.into_iter().rev() {
            let above = self.ancestor[at];
            if self.semi[self.label[above]] < self.semi[self.label[at]] {
                self.label[at] = self.label[above];
            }
            self.ancestor[at] = self.ancestor[above];
        }
        Ok(())
    }
}
