//! Assigns a row to each node, and adds a point to each row that a long edge passes.
//!
//! ```text
//! row 0      top            The layout treats the points of an edge like nodes, so that the edge
//!           /   \           does not cross a box.
//! row 1    a     ·
//!           \    |
//! row 2      b   ·
//!             \ /
//! row 3        c
//! ```

use traceloom_analyze::CallGraph;
use traceloom_trace::sort;

/// Maximum number of points of all long edges together. The layout takes about a second for as many.
const MAX_POINTS: usize = 3_000;

/// Maximum number of boxes in a row. With more, the picture is too wide to read.
const MAX_ROW: usize = 12;

/// The rows. Vertices below [`Layers::boxes`] are the graph's nodes; the others are points of long edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// Number of vertices that are nodes of the graph.
    pub boxes: usize,
    /// The row of each vertex.
    pub row_of: Vec<usize>,
    /// The vertices of each row, left to right.
    pub rows: Vec<Vec<usize>>,
    /// The path of each edge that is drawn.
    pub ways: Vec<Way>,
    /// Number of edges that are not drawn because there would be too many points.
    pub left_out: usize,
}

/// The path of an edge down the rows.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Index of the edge in the graph.
    pub edge: usize,
    /// The vertices on the path, one per row, including both ends. A method that calls itself has a single one.
    pub vertices: Vec<usize>,
    /// Whether the edge points upwards: the callee is the first vertex.
    pub is_upward: bool,
}

pub(crate) fn assign(graph: &CallGraph) -> Layers {
    let upward = edges_that_close_cycles(graph);
    let row_of = rows(graph, &upward);
    let mut layers = Layers {
        boxes: row_of.len(),
        row_of,
        ..Layers::default()
    };
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    let heaviest = graph.heaviest_callers();
    sort::by_key(&mut order, |&at| {
        let edge = &graph.edges[at];
        let is_heaviest = heaviest[edge.to] == Some(edge.from);
        (!is_heaviest, std::cmp::Reverse(edge.weight_ns()), at)
    });
    for at in order {
        layers.add_way(graph, at, upward[at]);
    }
    layers.fill_rows();
    layers
}

impl Layers {
    fn add_way(&mut self, graph: &CallGraph, edge: usize, is_upward: bool) {
        let (from, to) = (graph.edges[edge].from, graph.edges[edge].to);
        let (above, below) = if is_upward { (to, from) } else { (from, to) };
        let mut vertices = vec![above];
        if above != below {
            let between = self.row_of[above] + 1..self.row_of[below];
            let points = self.row_of.len() - self.boxes;
            if points + between.len() > MAX_POINTS {
                self.left_out += 1;
                return;
            }
            for row in between {
                vertices.push(self.row_of.len());
                self.row_of.push(row);
            }
            vertices.push(below);
        }
        self.ways.push(Way {
            edge,
            vertices,
            is_upward,
        });
    }

    fn fill_rows(&mut self) {
        let rows = self.row_of.iter().max().map_or(0, |last| last + 1);
        self.rows = vec![Vec::new(); rows];
        for (vertex, &row) in self.row_of.iter().enumerate() {
            self.rows[row].push(vertex);
        }
    }
}

/// The edges that close a cycle: a depth-first search from the top reaches a node that it has not left yet. They are
/// drawn upwards; the graph without them has no cycles. The search follows heavy edges first, so that light ones point
/// upwards.
fn edges_that_close_cycles(graph: &CallGraph) -> Vec<bool> {
    let mut out_of: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    sort::by_key(&mut order, |&at| graph.edges[at].weight_ns());
    for at in order {
        out_of[graph.edges[at].from].push(at);
    }
    let mut closes = vec![false; graph.edges.len()];
    let (mut open, mut seen) = (
        vec![false; graph.nodes.len()],
        vec![false; graph.nodes.len()],
    );
    for start in 0..graph.nodes.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![start];
        open[start] = true;
        while let Some(&node) = path.last() {
            let Some(at) = out_of[node].pop() else {
                open[node] = false;
                path.pop();
                continue;
            };
            let to = graph.edges[at].to;
            closes[at] = open[to];
            if !std::mem::replace(&mut seen[to], true) {
                open[to] = true;
                path.push(to);
            }
        }
    }
    closes
}

/// The row of each node: the length of the longest path to it from a node without callers. If a row gets too wide, some
/// of its nodes move down, the lightest leaves first.
fn rows(graph: &CallGraph, upward: &[bool]) -> Vec<usize> {
    let below = links(graph, upward);
    let mut at_least = vec![0; graph.nodes.len()];
    let mut row_of = longest_ways(&below, &at_least);
    let mut row = 0;
    loop {
        let mut inside: Vec<usize> = (0..row_of.len()).filter(|&n| row_of[n] == row).collect();
        if inside.is_empty() {
            return row_of;
        }
        sort::by_key(&mut inside, |&node| {
            let weight = graph.nodes[node].inclusive_ns;
            (below[node].is_empty(), std::cmp::Reverse(weight))
        });
        row += 1;
        if inside.len() > MAX_ROW {
            inside[MAX_ROW..]
                .iter()
                .for_each(|&node| at_least[node] = row);
            row_of = longest_ways(&below, &at_least);
        }
    }
}

/// The nodes directly below each node.
fn links(graph: &CallGraph, upward: &[bool]) -> Vec<Vec<usize>> {
    let mut below = vec![Vec::new(); graph.nodes.len()];
    for (edge, &is_upward) in graph.edges.iter().zip(upward) {
        match (edge.from == edge.to, is_upward) {
            (true, _) => {}
            (_, true) => below[edge.to].push(edge.from),
            (_, false) => below[edge.from].push(edge.to),
        }
    }
    below
}

/// The row of each node in a graph without cycles, by the longest path to it, and at least `at_least`.
fn longest_ways(below: &[Vec<usize>], at_least: &[usize]) -> Vec<usize> {
    let mut waiting = vec![0_usize; below.len()];
    for &to in below.iter().flatten() {
        waiting[to] += 1;
    }
    let mut row_of = at_least.to_vec();
    let mut ready: Vec<usize> = (0..below.len())
        .filter(|&node| waiting[node] == 0)
        .collect();
    while let Some(node) = ready.pop() {
        for &to in &below[node] {
            row_of[to] = row_of[to].max(row_of[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    row_of
}
