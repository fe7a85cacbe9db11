//! The nodes that can be reached from others, and the node from which each was first reached.

use std::collections::VecDeque;

use rusqlite::types::ValueRef;

use super::edges::Graph;
use super::table::{cell, numbers};
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;

/// A node, and the node that it was reached from.
type Step = (u32, Option<u32>);

/// `__intrinsic_dfs(edges, starts)`: depth first. The last start is searched first, as in Perfetto.
pub(crate) fn depth_first(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let (graph, starts) = read(tables, meter)?;
    let mut is_known = vec![false; graph.names.len()];
    let mut stack: Vec<Step> = starts.into_iter().map(|start| (start, None)).collect();
    let mut out = Cells::new();
    while let Some((node, from)) = stack.pop() {
        if std::mem::replace(&mut is_known[node as usize], true) {
            continue;
        }
        write(&graph, (node, from), &mut out, meter)?;
        for next in graph.after(node).rev() {
            meter.tick()?;
            if !is_known[next as usize] {
                stack.push((next, Some(node)));
            }
        }
    }
    Ok(out)
}

/// `__intrinsic_bfs(edges, starts)`: breadth first.
pub(crate) fn breadth_first(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let (graph, starts) = read(tables, meter)?;
    let mut is_known = vec![false; graph.names.len()];
    let mut queue = VecDeque::new();
    let mut add = |queue: &mut VecDeque<Step>, node: u32, from: Option<u32>| {
        if !std::mem::replace(&mut is_known[node as usize], true) {
            queue.push_back((node, from));
        }
    };
    for start in starts {
        add(&mut queue, start, None);
    }
    let mut out = Cells::new();
    while let Some((node, from)) = queue.pop_front() {
        write(&graph, (node, from), &mut out, meter)?;
        for next in graph.after(node) {
            meter.tick()?;
            add(&mut queue, next, Some(node));
        }
    }
    Ok(out)
}

/// The graph, and the nodes to start from.
fn read(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<(Graph, Vec<u32>), Failure> {
    let mut names = Vec::new();
    numbers(tables.get(1), |[name]| {
        meter.grow(16)?;
        names.extend(name);
        Ok(())
    })?;
    let graph = Graph::new(tables.first(), &names, meter)?;
    let starts = names
        .iter()
        .filter_map(|name| graph.number(*name))
        .collect();
    Ok((graph, starts))
}

fn write(
    graph: &Graph,
    (node, from): Step,
    out: &mut Cells,
    meter: &mut Meter,
) -> Result<(), Failure> {
    meter.grow(2 * size_of::<crate::operators::rows::Cell>())?;
    out.push(cell(graph.name(node)));
    out.push(cell(from.and_then(|from| graph.name(from))));
    Ok(())
}
