//! The position of each node: level by level, with the widest of the nodes below a parent first.

use traceloom_trace::sort;

use super::none::NONE;

/// A node with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub node: usize,
    /// The row of its parent in the result.
    pub parent_row: Option<usize>,
    /// Its left edge, in the unit of its value.
    pub x: f64,
}

/// A node that is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// The node's parent, or [`NONE`].
    pub parent: u32,
    pub width: f64,
    /// Whether it belongs to the tree of callers.
    pub is_up: bool,
    /// Whether any of its values is not 0.
    pub has_value: bool,
}

/// Places the nodes that have values. Nodes of width 0 also get a position.
pub(super) fn layout(nodes: &[Shown]) -> Vec<Placed> {
    let mut by_width: Vec<usize> = (0..nodes.len())
        .filter(|node| nodes[*node].has_value)
        .collect();
    sort::by(&mut by_width, |a, b| {
        nodes[*b].width.total_cmp(&nodes[*a].width)
    });
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let (mut down, mut up) = (Vec::new(), Vec::new());
    for node in by_width {
        match nodes[node] {
            Shown { parent, .. } if parent != NONE => children[parent as usize].push(node),
            Shown { is_up: true, .. } => up.push(node),
            _ => down.push(node),
        }
    }
    let mut rows = roots(nodes, &down, &up);
    let mut row = 0;
    while let Some(placed) = rows.get(row).copied() {
        rows.extend(side_by_side(
            nodes,
            &children[placed.node],
            placed.x,
            Some(row),
        ));
        row += 1;
    }
    rows
}

/// Places the roots of both trees from left to right. Each tree begins at 0.
fn roots(nodes: &[Shown], down: &[usize], up: &[usize]) -> Vec<Placed> {
    let mut roots: Vec<Placed> = side_by_side(nodes, down, 0.0, None).collect();
    roots.extend(side_by_side(nodes, up, 0.0, None));
    sort::by(&mut roots, |a, b| a.x.total_cmp(&b.x));
    roots
}

fn side_by_side<'a>(
    nodes: &'a [Shown],
    list: &'a [usize],
    start: f64,
    parent_row: Option<usize>,
) -> impl Iterator<Item = Placed> + 'a {
    list.iter().scan(start, move |next, &node| {
        let x = *next;
        *next += nodes[node].width;
        Some(Placed {
            node,
            parent_row,
            x,
        })
    })
}
