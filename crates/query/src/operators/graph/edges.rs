//! The edges of a graph.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::table::numbers;
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;

/// A graph. Its nodes are counted from 0.
#[derive(Debug)]
pub(super) struct Graph {
    /// The name of each node.
    pub names: Vec<i64>,
    numbers: FxHashMap<i64, u32>,
    /// The nodes that edges from each node lead to.
    pub next: Groups,
    /// The edges, in their order.
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    /// The graph of a table with the source and the destination of each edge, and of nodes without edges. Edges from or to
    /// NULL are left out.
    ///
    /// # Errors
    /// If the table is none, or a limit is reached.
    pub fn new(
        table: Option<&ValueRef<'_>>,
        more: &[i64],
        meter: &mut Meter,
    ) -> Result<Self, Failure> {
        let mut graph = Self {
            names: Vec::new(),
            numbers: FxHashMap::default(),
            next: Groups::new(0, std::iter::empty()),
            edges: Vec::new(),
        };
        numbers(table, |[from, to]| {
            if let (Some(from), Some(to)) = (from, to) {
                let edge = (graph.add(from, meter)?, graph.add(to, meter)?);
                // The edge, here and in the groups.
                meter.grow(size_of::<(u32, u32)>() + size_of::<u32>())?;
                graph.edges.push(edge);
            }
            Ok(())
        })?;
        for name in more {
            graph.add(*name, meter)?;
        }
        let edges = graph.edges.iter();
        let edges = edges.map(|(from, to)| (*from as usize, *to));
        graph.next = Groups::new(graph.names.len(), edges);
        Ok(graph)
    }

    /// The number of a node.
    pub fn number(&self, name: i64) -> Option<u32> {
        self.numbers.get(&name).copied()
    }

    /// The name of a node.
    pub fn name(&self, number: u32) -> Option<i64> {
        self.names.get(number as usize).copied()
    }

    fn add(&mut self, name: i64, meter: &mut Meter) -> Result<u32, Failure> {
        let next = u32::try_from(self.names.len()).map_err(|_| Failure::Memory)?;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            // The name, its place in the map, and what a search notes of the node.
            meter.grow(64)?;
            self.names.push(name);
        }
        Ok(number)
    }
}
