//! Searches from many roots. Each search ends when its sum of weights reaches a limit.

use rusqlite::types::ValueRef;

use super::edges::Graph;
use super::table::{cell, numbers};
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::{self, Cell, Rows};

/// No edge leads to a root.
const NONE: usize = usize::MAX;

/// `__intrinsic_dfs_weight_bounded(edges, roots, floor)`: `edges` has a source, a destination and a weight, `roots` a
/// node and a weight. A search visits nodes depth first and adds up the weights of the edges to them. It ends when the
/// sum exceeds the weight of the root. The node that exceeds it is part of the result if `floor` is not 0.
///
/// Instead of the two tables, there may be one argument for each of their columns.
pub(super) fn run(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    match arguments {
        [edges @ .., _, _, _] if edges.len() == 3 => {
            let (edges, roots) = (zip(edges, meter)?, zip(&arguments[3..5], meter)?);
            let tables = [ValueRef::Blob(&edges), ValueRef::Blob(&roots), arguments[5]];
            search(&tables, meter)
        }
        [_, _, _] => search(arguments, meter),
        _ => Err(Failure::refused("a search takes 3 or 6 arguments")),
    }
}

/// Combines columns, each of them a table, into one table. It ends with the shortest column.
fn zip(columns: &[ValueRef<'_>], meter: &mut Meter) -> Result<Vec<u8>, Failure> {
    let columns: Result<Vec<Rows<'_>>, _> = columns.iter().map(|it| Rows::of(*it)).collect();
    let mut columns = columns?;
    let mut out = rows::begin(columns.len(), false)?;
    let mut row = Vec::new();
    loop {
        let before = out.len();
        for column in &mut columns {
            if !column.next_row(&mut row)? {
                out.truncate(before);
                return Ok(out);
            }
            out.extend(row.first().copied().unwrap_or_default());
        }
        meter.grow(out.len() - before)?;
    }
}

fn search(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let mut roots = Vec::new();
    numbers(tables.get(1), |[name, weight]| {
        meter.grow(2 * size_of::<(i64, i64)>())?;
        roots.extend(name.zip(weight));
        Ok(())
    })?;
    let includes_last = !matches!(tables.get(2), Some(ValueRef::Integer(0) | ValueRef::Null));
    let names: Vec<i64> = roots.iter().map(|(name, _)| *name).collect();
    let graph = Graph::weighted(tables.first(), &names, meter)?;
    let mut search = Search {
        seen: vec![0; graph.names.len()],
        graph: &graph,
        turn: 0,
        out: Cells::new(),
    };
    for (name, weight) in roots {
        if let Some(root) = graph.number(name) {
            search.from(root, weight, includes_last, meter)?;
        }
    }
    Ok(search.out)
}

/// The searches, one after the other.
struct Search<'a> {
    graph: &'a Graph,
    /// The number of the last search that saw each node. Searches are counted from 1.
    seen: Vec<u32>,
    turn: u32,
    out: Cells,
}

impl Search<'_> {
    fn from(
        &mut self,
        root: u32,
        most: i64,
        includes_last: bool,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        self.turn += 1;
        let mut sum = 0_i64;
        // The nodes on the path from the root, each with the number of its edges that have been tried.
        let mut way: Vec<(u32, usize)> = Vec::new();
        let mut next = Some((root, NONE));
        while let Some((node, edge)) = next {
            self.seen[node as usize] = self.turn;
            sum = sum.saturating_add(self.graph.weights.get(edge).copied().unwrap_or(0));
            if sum <= most || includes_last {
                let parent = way.last().map(|(parent, _)| *parent);
                self.write(root, node, parent, meter)?;
            }
            if sum > most {
                return Ok(());
            }
            way.push((node, 0));
            next = self.step(&mut way, meter)?;
        }
        Ok(())
    }

    /// The next node that was not seen, and the edge to it. Nodes without one are removed from the path.
    fn step(
        &self,
        way: &mut Vec<(u32, usize)>,
        meter: &mut Meter,
    ) -> Result<Option<(u32, usize)>, Failure> {
        while let Some((node, tried)) = way.last_mut() {
            meter.tick()?;
            let edges = self.graph.next.of(*node as usize);
            let Some(&edge) = edges.get(*tried) else {
                way.pop();
                continue;
            };
            *tried += 1;
            let to = self.graph.edges[edge as usize].1;
            if self.seen[to as usize] != self.turn {
                return Ok(Some((to, edge as usize)));
            }
        }
        Ok(None)
    }

    fn write(
        &mut self,
        root: u32,
        node: u32,
        parent: Option<u32>,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        meter.grow(3 * size_of::<Cell>())?;
        let nodes = [Some(root), Some(node), parent];
        let graph = self.graph;
        let cells = nodes.map(|node| cell(node.and_then(|node| graph.name(node))));
        self.out.extend(cells);
        Ok(())
    }
}
