//! Which row each node stands in, and the points where long edges pass the rows between.
//!
//! ```text
//! row 0      top            a point on the way of an edge is a node of its own for the layout,
//!           /   \           so that no box stands in the edge's way
//! row 1    a     ·
//!           \    |
//! row 2      b   ·
//!             \ /
//! row 3        c
//! ```

use traceloom_analyze::CallGraph;

/// Points on the way of long edges, all edges together: what the layout takes in a second or so.
const MAX_POINTS: usize = 3_000;

/// Boxes side by side in a row: more make a picture that nobody scrolls through.
const MAX_ROW: usize = 12;

/// Rows of nodes and of points. Vertices below [`Layers::boxes`] are the graph's nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// How many vertices are nodes of the graph.
    pub boxes: usize,
    /// The row of each vertex.
    pub row_of: Vec<usize>,
    /// The vertices of each row, left to right.
    pub rows: Vec<Vec<usize>>,
    /// The way of each edge that is drawn.
    pub ways: Vec<Way>,
    /// Edges that would pass too many rows, and are not drawn.
    pub left_out: usize,
}

/// The way of an edge down the rows.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Its place in the graph's edges.
    pub edge: usize,
    /// The vertices it passes, one in each row, ends included; a single one for a call of itself.
    pub vertices: Vec<usize>,
    /// The edge leads up against the rows: its callee stands at the start.
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
    order.sort_by_key(|&at| {
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

/// The edges that lead back to a node that is open on a walk from the top: without them (drawn
/// upwards) the graph has no cycle. The walk takes heavy edges first, so that light ones turn.
fn edges_that_close_cycles(graph: &CallGraph) -> Vec<bool> {
    let mut out_of: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    order.sort_by_key(|&at| graph.edges[at].weight_ns());
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

/// A node's row: the most edges that lead to it from any node without callers, or further down
/// where a row would get too wide. Then the lightest leaves move on first.
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
        inside.sort_by_key(|&node| {
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

/// For each node those below it.
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

/// The rows of a graph without cycles, each node at least where `at_least` says.
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
