//! From the growing tree to the finished one: rows in walking order.

use rustc_hash::FxHashMap;

use super::NodeId;
use super::arena::{Arena, NONE, Node};
use super::function::FunctionId;
use super::measure::Measure;
use super::nodes::CallNodes;

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

/// Finishes an arena. `roots` lists the threads' roots in the order wanted; nodes without calls
/// are left out. Returns the rows of the roots, too.
///
/// Parents have smaller numbers than their children, so plain loops replace every recursion:
/// backwards to sum up sizes, forwards to hand out rows. Then each node moves to its row:
///
/// ```text
/// number     0 main  1 a  2 b(a)  3 c  4 d(a)        b(a): b called by a
/// size       5       3    1       1    1
/// row        0       1    2       4    3             1 + what stands before it in its parent
/// walking    main, a, b(a), d(a), c
/// ```
pub(crate) fn freeze(
    arena: Arena,
    roots: &[(u32, Span)],
    states: Option<StateSums>,
) -> (CallNodes, Vec<NodeId>) {
    let (mut nodes, mut numbers, more_calls) = arena.into_parts();
    sum_up_sizes(&mut nodes, &numbers, roots, &more_calls);
    let kept = assign_rows(&mut nodes, &mut numbers, roots);
    let row_of = |id: u32| numbers[id as usize];
    let more_calls = more_calls.into_iter().map(|(id, more)| (row_of(id), more));
    let mut finished = CallNodes {
        more_calls: more_calls.collect(),
        states: states.map_or_else(Vec::new, |states| in_rows(&states, &numbers, [0; 3], kept)),
        rows: Vec::new(),
    };
    let root_rows: Vec<NodeId> = roots.iter().map(|(id, _)| NodeId(row_of(*id))).collect();
    let mut nodes = in_rows(&nodes, &numbers, Node::BLANK, kept);
    link(&mut nodes);
    finished.rows = nodes;
    for (row, (_, span)) in root_rows.iter().zip(roots) {
        set_root(&mut finished, *row, *span);
    }
    (finished, root_rows)
}

/// Puts the size of each subtree into `child_or_end`; 0 for nodes to be left out.
fn sum_up_sizes(
    nodes: &mut [Node],
    parents: &[u32],
    roots: &[(u32, Span)],
    more_calls: &FxHashMap<u32, u64>,
) {
    nodes.iter_mut().for_each(|node| node.child_or_end = 0);
    for (root, _) in roots {
        nodes[*root as usize].child_or_end = 1;
    }
    for (id, &parent) in parents.iter().enumerate().rev() {
        let node = &mut nodes[id];
        let was_called = node.calls > 0 || more_calls.contains_key(&(id as u32));
        if parent != NONE && (node.child_or_end > 0 || was_called) {
            node.child_or_end += 1;
            let size = node.child_or_end;
            nodes[parent as usize].child_or_end += size;
        }
    }
}

/// Replaces the parents by the nodes' rows and returns how many nodes stay; the others get the
/// rows behind. Meanwhile `sibling_or_parent` is the row that a node's next child gets.
fn assign_rows(nodes: &mut [Node], numbers: &mut [u32], roots: &[(u32, Span)]) -> usize {
    let mut kept = 0;
    for (root, _) in roots {
        let root = &mut nodes[*root as usize];
        root.sibling_or_parent = kept + 1;
        kept += root.child_or_end;
    }
    let mut dropped = kept;
    for (id, number) in numbers.iter_mut().enumerate() {
        let size = nodes[id].child_or_end;
        let parent = std::mem::replace(number, dropped);
        if size == 0 {
            dropped += 1;
        } else if parent == NONE {
            *number = nodes[id].sibling_or_parent - 1;
        } else {
            *number = nodes[parent as usize].sibling_or_parent;
            nodes[parent as usize].sibling_or_parent += size;
            nodes[id].sibling_or_parent = *number + 1;
        }
    }
    kept as usize
}

/// The nodes that stay, each at its row. (Swapping them within the old memory would need none, but
/// each step would wait for the one before: three times slower.)
fn in_rows<T: Copy>(values: &[T], rows: &[u32], blank: T, kept: usize) -> Vec<T> {
    let mut moved = vec![blank; kept];
    for (value, &row) in values.iter().zip(rows) {
        if let Some(place) = moved.get_mut(row as usize) {
            *place = *value;
        }
    }
    moved
}

/// Turns sizes into ends and finds the parents: those whose subtree a row is in.
fn link(nodes: &mut [Node]) {
    let mut open: Vec<(u32, u32)> = Vec::new();
    for (row, node) in nodes.iter_mut().enumerate() {
        let row = row as u32;
        let end = row + node.child_or_end;
        while open.pop_if(|(_, end)| *end <= row).is_some() {}
        node.child_or_end = end;
        node.sibling_or_parent = open.last().map_or(NONE, |(parent, _)| *parent);
        node.key = node.function();
        if node.sibling_or_parent == NONE {
            (node.key, node.calls) = (FunctionId::TOPLEVEL.0, 1);
        }
        if end > row + 1 {
            open.push((row, end));
        }
    }
}

fn set_root(nodes: &mut CallNodes, root: NodeId, span: Span) {
    let mut sums = [0i64; Measure::COUNT];
    for child in nodes.children(root) {
        super::add(&mut sums, &nodes.inclusive_sums(child));
    }
    let [sum_wall_ns, sum_cpu_ns, states @ ..] = sums;
    let row = &mut nodes.rows[root.row()];
    (row.wall_ns, row.cpu_ns) = match span {
        Span::Measured(wall_ns, cpu_ns) => (wall_ns, cpu_ns),
        Span::SumOfCalls => (sum_wall_ns, sum_cpu_ns),
    };
    if let Some(place) = nodes.states.get_mut(root.row()) {
        *place = states;
    }
}
