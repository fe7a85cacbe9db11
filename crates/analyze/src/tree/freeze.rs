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
    let order = walking_order(&arena, roots);
    let mut nodes = copy_structure(&arena, &order);
    copy_times(&arena, &order.ids, clocks, &mut nodes);
    drop(arena);
    if let Some(states) = states {
        copy_states(&states, &order.ids, &mut nodes);
    }
    let roots: Vec<_> = roots
        .iter()
        .map(|(root, span)| (NodeId(order.rows[*root as usize]), *span))
        .collect();
    drop(order);
    for (root, span) in &roots {
        set_root(&mut nodes, *root, *span);
    }
    split_exclusive(&mut nodes);
    (nodes, roots.into_iter().map(|(root, _)| root).collect())
}

/// Where the nodes of an arena stand in a walk from the roots down.
struct Order {
    /// The row of each node; [`NONE`] for those left out.
    rows: Vec<u32>,
    /// The node of each row.
    ids: Vec<u32>,
    /// How many rows a node's subtree takes, by node.
    sizes: Vec<u32>,
}

fn walking_order(arena: &Arena, roots: &[(u32, Span)]) -> Order {
    let parents = arena.parents();
    let sizes = subtree_sizes(arena, roots);
    let mut rows = vec![NONE; arena.len()];
    // For a node that has a row: the row its next child gets.
    let mut free_row = vec![0u32; arena.len()];
    let mut row = 0;
    for (root, _) in roots {
        (rows[*root as usize], free_row[*root as usize]) = (row, row + 1);
        row += sizes[*root as usize];
    }
    let mut ids = vec![NONE; row as usize];
    for (id, &parent) in parents.iter().enumerate() {
        if sizes[id] == 0 {
            continue;
        }
        if parent != NONE {
            let row = free_row[parent as usize];
            free_row[parent as usize] += sizes[id];
            (rows[id], free_row[id]) = (row, row + 1);
        }
        ids[rows[id] as usize] = id as u32;
    }
    Order { rows, ids, sizes }
}

fn subtree_sizes(arena: &Arena, roots: &[(u32, Span)]) -> Vec<u32> {
    let parents = arena.parents();
    let mut sizes = vec![0u32; arena.len()];
    roots.iter().for_each(|(root, _)| sizes[*root as usize] = 1);
    for (id, &parent) in parents.iter().enumerate().rev() {
        if parent != NONE && (sizes[id] > 0 || arena.was_called(id as u32)) {
            sizes[id] += 1;
            sizes[parent as usize] += sizes[id];
        }
    }
    sizes
}

fn copy_structure(arena: &Arena, order: &Order) -> CallNodes {
    let count = order.ids.len();
    let mut nodes = CallNodes {
        parent: Vec::with_capacity(count),
        end: Vec::with_capacity(count),
        function: Vec::with_capacity(count),
        calls: Vec::with_capacity(count),
        ..CallNodes::default()
    };
    for (row, &id) in order.ids.iter().enumerate() {
        let counted = arena.counted(id);
        let parent = order.rows.get(arena.parents()[id as usize] as usize);
        nodes
            .end
            .push(NodeId(row as u32 + order.sizes[id as usize]));
        nodes
            .parent
            .push(parent.map_or(NodeId::NONE, |row| NodeId(*row)));
        nodes.function.push(match parent {
            Some(_) => FunctionId(counted.key),
            None => FunctionId::TOPLEVEL,
        });
        nodes
            .calls
            .push(if parent.is_some() { counted.calls } else { 1 });
    }
    nodes
}

fn copy_times(arena: &Arena, ids: &[u32], clocks: TreeClocks, nodes: &mut CallNodes) {
    let counted = ids.iter().map(|&id| arena.counted(id));
    if clocks.has(Measure::Cpu) {
        let (wall, cpu) = counted.map(|node| (node.wall_ns, node.cpu_ns)).unzip();
        nodes.inclusive[Measure::Wall as usize] = wall;
        nodes.inclusive[Measure::Cpu as usize] = cpu;
    } else {
        nodes.inclusive[Measure::Wall as usize] = counted.map(|node| node.wall_ns).collect();
    }
}

fn copy_states(states: &StateSums, ids: &[u32], nodes: &mut CallNodes) {
    let measures = [
        Measure::Runnable,
        Measure::Sleeping,
        Measure::Uninterruptible,
    ];
    for (nth, measure) in measures.into_iter().enumerate() {
        let column = ids.iter().map(|&id| states[id as usize][nth]);
        nodes.inclusive[measure as usize] = column.collect();
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
