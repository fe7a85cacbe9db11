//! From the growing tree to its final columns: rows in walking order, exclusive times.

use super::arena::{Arena, NONE};
use super::function::FunctionId;
use super::measure::{Measure, TreeClocks};
use super::{CallNodes, NodeId};

/// The key of roots.
pub(crate) const ROOT_KEY: u32 = (1 << 31) - 1;

/// How long a thread took in all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    /// From its first to its last event: wall and CPU, ns.
    Measured(i64, i64),
    /// As long as its outermost calls together.
    SumOfCalls,
}

/// Times in thread states of each node of an arena: runnable, sleeping, uninterruptible.
pub(crate) type StateSums = Vec<[i64; 3]>;

/// Turns an arena into columns. `roots` lists the threads' roots in the order wanted; nodes
/// without calls are left out.
///
/// Parents have smaller ids than their children, so plain loops replace every recursion:
/// backwards to sum up sizes, forwards to hand out rows.
pub(crate) fn freeze(
    mut arena: Arena,
    roots: &[(u32, Span)],
    clocks: TreeClocks,
    states: Option<StateSums>,
) -> (CallNodes, Vec<NodeId>) {
    arena.close();
    let sizes = subtree_sizes(&arena, roots);
    let rows = assign_rows(&arena, roots, &sizes);
    let mut nodes = copy_structure(&arena, &sizes, &rows);
    drop(sizes);
    copy_times(&arena, &rows, clocks, &mut nodes);
    if let Some(states) = states {
        copy_states(&states, &rows, &mut nodes);
    }
    for (root, span) in roots {
        set_root(&mut nodes, NodeId(rows[*root as usize]), *span);
    }
    split_exclusive(&mut nodes);
    let roots = roots.iter().map(|(root, _)| NodeId(rows[*root as usize]));
    (nodes, roots.collect())
}

fn subtree_sizes(arena: &Arena, roots: &[(u32, Span)]) -> Vec<u32> {
    let mut sizes = vec![0u32; arena.len()];
    roots.iter().for_each(|(root, _)| sizes[*root as usize] = 1);
    for id in (0..arena.len()).rev() {
        let counted = arena.counted(id as u32);
        if counted.parent == NONE {
            continue;
        }
        if counted.calls > 0 || sizes[id] > 0 {
            sizes[id] += 1;
            sizes[counted.parent as usize] += sizes[id];
        }
    }
    sizes
}

/// The row of every node; [`NONE`] for those left out.
fn assign_rows(arena: &Arena, roots: &[(u32, Span)], sizes: &[u32]) -> Vec<u32> {
    let mut rows = vec![NONE; arena.len()];
    let mut free_row = vec![0u32; arena.len()];
    let mut row = 0;
    for (root, _) in roots {
        (rows[*root as usize], free_row[*root as usize]) = (row, row + 1);
        row += sizes[*root as usize];
    }
    for id in 0..arena.len() {
        let parent = arena.counted(id as u32).parent;
        if parent != NONE && sizes[id] > 0 {
            let row = free_row[parent as usize];
            free_row[parent as usize] += sizes[id];
            (rows[id], free_row[id]) = (row, row + 1);
        }
    }
    rows
}

fn copy_structure(arena: &Arena, sizes: &[u32], rows: &[u32]) -> CallNodes {
    let kept = rows.iter().filter(|&&row| row != NONE).count();
    let mut nodes = CallNodes {
        parent: vec![NodeId::NONE; kept],
        end: vec![NodeId::NONE; kept],
        function: vec![FunctionId::TOPLEVEL; kept],
        calls: vec![1; kept],
        ..CallNodes::default()
    };
    for (id, &row) in rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
        let counted = arena.counted(id as u32);
        nodes.end[row as usize] = NodeId(row + sizes[id]);
        if counted.parent != NONE {
            nodes.parent[row as usize] = NodeId(rows[counted.parent as usize]);
            nodes.function[row as usize] = FunctionId(counted.key);
            nodes.calls[row as usize] = counted.calls;
        }
    }
    nodes
}

fn copy_times(arena: &Arena, rows: &[u32], clocks: TreeClocks, nodes: &mut CallNodes) {
    let has_cpu = clocks.has(Measure::Cpu);
    let mut wall = vec![0; nodes.len()];
    let mut cpu = vec![0; if has_cpu { nodes.len() } else { 0 }];
    for (id, &row) in rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
        let counted = arena.counted(id as u32);
        wall[row as usize] = counted.wall_ns;
        if has_cpu {
            cpu[row as usize] = counted.cpu_ns;
        }
    }
    nodes.inclusive[Measure::Wall as usize] = wall;
    nodes.inclusive[Measure::Cpu as usize] = cpu;
}

fn copy_states(states: &StateSums, rows: &[u32], nodes: &mut CallNodes) {
    let measures = [
        Measure::Runnable,
        Measure::Sleeping,
        Measure::Uninterruptible,
    ];
    for (nth, measure) in measures.into_iter().enumerate() {
        let mut column = vec![0; nodes.len()];
        for (sums, &row) in states.iter().zip(rows).filter(|(_, row)| **row != NONE) {
            column[row as usize] = sums[nth];
        }
        nodes.inclusive[measure as usize] = column;
    }
}

fn set_root(nodes: &mut CallNodes, root: NodeId, span: Span) {
    let measured = match span {
        Span::Measured(wall_ns, cpu_ns) => [Some(wall_ns), Some(cpu_ns), None, None, None],
        Span::SumOfCalls => [None; Measure::COUNT],
    };
    for (measure, known) in measured.into_iter().enumerate() {
        if nodes.inclusive[measure].is_empty() {
            continue;
        }
        let of_calls = |nodes: &CallNodes| {
            let column = &nodes.inclusive[measure];
            nodes.children(root).map(|child| column[child.row()]).sum()
        };
        nodes.inclusive[measure][root.row()] = known.unwrap_or_else(|| of_calls(nodes));
    }
}

/// Exclusive is inclusive without the children's inclusive; where a clock stepped back that could
/// be below zero, and is then zero.
fn split_exclusive(nodes: &mut CallNodes) {
    for (inclusive, exclusive) in nodes.inclusive.iter().zip(&mut nodes.exclusive) {
        let mut own = inclusive.clone();
        for (row, parent) in nodes.parent.iter().enumerate().take(inclusive.len()) {
            if *parent != NodeId::NONE {
                own[parent.row()] = own[parent.row()].saturating_sub(inclusive[row]);
            }
        }
        own.iter_mut().for_each(|time| *time = (*time).max(0));
        *exclusive = own;
    }
}
