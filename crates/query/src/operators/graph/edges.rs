//! The edges of a graph.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::table::numbers;
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;

/// A graph. Its nodes are counted from 0.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The name of each node.
    pub names: Vec<i64>,
    numbers: FxHashMap<i64, u32>,
    /// The source and the destination of each edge.
    pub edges: Vec<(u32, u32)>,
    /// The weight of each edge, if edges have weights.
    pub weights: Vec<i64>,
    /// The edges from each node.
    pub next: Groups,
}

impl Graph {
    /// The graph of a table with the source and the destination of each edge, and of nodes without edges. Edges from or
    /// to NULL are left out.
    ///
    /// # Errors
    /// If the value is not a table, or a limit is reached.
    pub fn new(
        table: Option<&ValueRef<'_>>,
        more: &[i64],
        meter: &mut Meter,
    ) -> Result<Self, Failure> {
        let mut graph = Self::default();
        numbers(table, |[from, to]| {
            graph.add_edge(from, to, meter).map(|_| ())
        })?;
        graph.finish(more, meter)
    }

    /// Like [`Self::new`], for a table that also has the weight of each edge. NULL counts as 0.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn weighted(
        table: Option<&ValueRef<'_>>,
        more: &[i64],
        meter: &mut Meter,
    ) -> Result<Self, Failure> {
        let mut graph = Self::default();
        numbers(table, |[from, to, weight]| {
            if graph.add_edge(from, to, meter)? {
                graph.weights.push(weight.unwrap_or(0));
            }
            Ok(())
        })?;
        graph.finish(more, meter)
    }

    fn finish(mut self, more: &[i64], meter: &mut Meter) -> Result<Self, Failure> {
        for name in more {
            self.add(*name, meter)?;
        }
        let edges = self.edges.iter().zip(0..);
        let edges = edges.map(|((from, _), edge)| (*from as usize, edge));
        self.next = Groups::new(self.names.len(), edges);
        Ok(self)
    }

    /// The destinations of the edges from a node.
    pub fn after(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> {
        let edges = self.next.of(node as usize).iter();
        edges.filter_map(|edge| self.edges.get(*edge as usize).map(|(_, to)| *to))
    }

    /// The number of a node.
    pub fn number(&self, name: i64) -> Option<u32> {
        self.numbers.get(&name).copied()
    }

    /// The name of a node.
    pub fn name(&self, number: u32) -> Option<i64> {
        self.names.get(number as usize).copied()
    }

    /// Adds an edge, unless a node is NULL. Returns whether it did.
    fn add_edge(
        &mut self,
        from: Option<i64>,
        to: Option<i64>,
        meter: &mut Meter,
    ) -> Result<bool, Failure> {
        let (Some(from), Some(to)) = (from, to) else {
            return Ok(false);
        };
        let edge = (self.add(from, meter)?, self.add(to, meter)?);
        // The memory for the edge, its weight, and its place in the groups.
        meter.grow(size_of::<(u32, u32)>() + size_of::<i64>() + size_of::<u32>())?;
        self.edges.push(edge);
        Ok(true)
    }

    fn add(&mut self, name: i64, meter: &mut Meter) -> Result<u32, Failure> {
        let next = u32::try_from(self.names.len()).map_err(|_| Failure::Memory)?;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            // The memory for the name, its place in the map, and the state that a search keeps for the node.
            meter.grow(64)?;
            self.names.push(name);
        }
        Ok(number)
    }
}
