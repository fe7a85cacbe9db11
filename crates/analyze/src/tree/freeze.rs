//! Converts the growing tree into the finished one, with rows in preorder.

use super::NodeId;
use super::arena::{Arena, Link, NONE, Origin, Parts};
use super::counts::Counts;
use super::function::FunctionId;
use super::nodes::CallNodes;

/// The key of roots.
pub(crate) const ROOT_KEY: u32 = (1 << 31) - 1;

/// The total time of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    /// From its first to its last event: wall and CPU time, ns.
    Measured(i64, i64),
    /// The sum of its outermost calls.
    SumOfCalls,
}

/// Times in thread states of each node of an arena: runnable, sleeping, uninterruptible.
pub(crate) type StateSums = Vec<[i64; 3]>;

/// Finishes an arena. `roots` has the roots of the threads in the wanted order. Nodes without calls are left out. Also
/// returns the rows of the roots.
///
/// Parents have smaller numbers than their children, so loops replace recursion: backwards to sum up sizes, forwards to
/// assign rows:
///
/// ```text
/// number     0 main  1 a  2 b(a)  3 c  4 d(a)        b(a): b called by a
/// size       5       3    1       1    1
/// row        0       1    2       4    3             1 + the sizes of its earlier siblings
/// preorder   main, a, b(a), d(a), c
/// ```
///
/// Only the links move to their rows. Counts stay in place, and a row has their number.
pub(crate) fn freeze(
    arena: Arena,
    roots: &[(u32, Span)],
    states: Option<StateSums>,
) -> (CallNodes, Vec<NodeId>) {
    let Parts {
        mut links,
        mut origins,
        counts,
    } = arena.into_parts();
    sum_up_sizes(&mut origins, roots, &counts);
    let kept = start_roots(&mut origins, roots);
    assign_rows(&mut origins, &mut links);
    links.truncate(kept as usize);
    let mut finished = CallNodes {
        links,
        counts,
        states: states.unwrap_or_default(),
    };
    let unfinished = rows_of_unfinished(&origins, &mut finished.counts);
    finished.settle(unfinished);
    let mut root_rows = Vec::with_capacity(roots.len());
    for &(id, span) in roots {
        let row = NodeId(origins[id as usize].key);
        set_root(&mut finished, row, span);
        root_rows.push(row);
    }
    (finished, root_rows)
}

/// Stores the size of each subtree in `sibling`; 0 for nodes to leave out.
fn sum_up_sizes(origins: &mut [Origin], roots: &[(u32, Span)], counts: &Counts) {
    origins.iter_mut().for_each(|origin| origin.sibling = 0);
    for (root, _) in roots {
        origins[*root as usize].sibling = 1;
    }
    for id in (0..origins.len()).rev() {
        let Origin {
            parent, sibling, ..
        } = origins[id];
        if parent != NONE && (sibling > 0 || counts.calls(id as u32) > 0) {
            origins[id].sibling = sibling + 1;
            origins[parent as usize].sibling += sibling + 1;
        }
    }
}

/// Stores the rows of the roots in `key`, and returns the number of rows.
fn start_roots(origins: &mut [Origin], roots: &[(u32, Span)]) -> u32 {
    let mut rows = 0;
    for (root, _) in roots {
        let root = &mut origins[*root as usize];
        root.key = rows;
        rows += root.sibling;
    }
    rows
}

/// Builds the link of each row. Once a node is done, its `key` is its row, and its `sibling` is the row of its next
/// child.
fn assign_rows(origins: &mut [Origin], links: &mut [Link]) {
    for id in 0..origins.len() {
        let origin = origins[id];
        let (size, function) = (origin.sibling, origin.function());
        if size == 0 {
            continue;
        }
        let (row, link) = if origin.parent == NONE {
            let row = origin.key;
            (row, [FunctionId::TOPLEVEL.0, row + size, NONE, id as u32])
        } else {
            let parent = &mut origins[origin.parent as usize];
            let row = parent.sibling;
            parent.sibling += size;
            (row, [function, row + size, parent.key, id as u32])
        };
        links[row as usize] = Link(link);
        origins[id].key = row;
        origins[id].sibling = row + 1;
    }
}

/// The rows of slices that never ended. Nodes that are left out have none.
fn rows_of_unfinished(origins: &[Origin], counts: &mut Counts) -> Vec<NodeId> {
    let mut rows = Vec::new();
    for id in counts.unfinished.paths() {
        // Nodes that are done have a row in `key`, and a next child.
        match origins[id as usize] {
            Origin { sibling: 0, .. } => counts.unfinished.set(id, None),
            Origin { key, .. } => rows.push(NodeId(key)),
        }
    }
    rows
}

/// Sets the times of a root, once its subtree is finished. Unfinished times of its outermost calls are not in its
/// inclusive time.
pub(super) fn set_root(nodes: &mut CallNodes, root: NodeId, span: Span) {
    let [sum_wall_ns, sum_cpu_ns, states @ ..] = nodes.inclusive_of_children(root);
    let unfinished = nodes.unfinished_of_children(root);
    let times = match span {
        Span::Measured(wall_ns, cpu_ns) => {
            let [open_wall_ns, open_cpu_ns, ..] = unfinished.unwrap_or_default();
            [
                wall_ns.saturating_sub(open_wall_ns),
                cpu_ns.saturating_sub(open_cpu_ns),
            ]
        }
        Span::SumOfCalls => [sum_wall_ns, sum_cpu_ns],
    };
    nodes.set(root, times, 1);
    nodes.set_states(root, states);
    nodes.counts.unfinished.set(nodes.path(root), unfinished);
}
