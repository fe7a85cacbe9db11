//! Leaving out what is too small to see, before anything is laid out.

use super::{CallGraph, GraphEdge, GraphOptions};
use traceloom_trace::SmallSort;

/// At most this many edges for each node that is shown, beyond the first [`FREE_EDGES`]: with
/// more a picture is a thicket.
const EDGES_PER_NODE: usize = 4;

/// Edges that are always allowed.
const FREE_EDGES: usize = 100;

/// Cuts the graph down. A node that is kept keeps the heaviest edge that leads to it, even below the
/// threshold, so that one sees where it hangs; where all its callers are gone, it hangs on the
/// nearest one above them.
pub(super) fn prune(graph: &mut CallGraph, options: &GraphOptions) {
    let threshold_ns = graph.total_ns.max(0) as f64 * options.threshold_percent / 100.0;
    let callers = heaviest_edges(graph);
    let places = keep_nodes(graph, threshold_ns, options.max_nodes);
    let before = graph.edges.len();
    let detours = detours(graph, &callers, &places);
    graph.edges.retain_mut(|edge| {
        match (places[edge.from], places[edge.to]) {
            (Some(from), Some(to)) => (edge.from, edge.to) = (from, to),
            _ => return false,
        }
        true
    });
    keep_edges(graph, threshold_ns);
    graph.hidden_edges += before - graph.edges.len();
    graph.edges.extend(detours);
    graph
        .edges
        .small_sort_unstable_by_key(|edge| (edge.from, edge.to));
}

/// Edges past hidden callers, for nodes that no shown one calls.
fn detours(
    graph: &CallGraph,
    callers: &[Option<usize>],
    places: &[Option<usize>],
) -> Vec<GraphEdge> {
    let mut is_called = vec![false; places.len()];
    for edge in graph.edges.iter().filter(|edge| edge.from != edge.to) {
        is_called[edge.to] |= places[edge.from].is_some();
    }
    let mut detours = Vec::new();
    for (node, place) in places.iter().enumerate() {
        let Some(to) = place.filter(|_| !is_called[node]) else {
            continue;
        };
        let (mut at, mut through) = (node, 0);
        // Heaviest callers may call each other in a ring, which leads nowhere.
        while let Some(edge) = callers[at].filter(|_| through < places.len()) {
            at = graph.edges[edge].from;
            if let Some(from) = places[at] {
                let last = graph.edges[callers[node].unwrap_or(edge)];
                detours.push(GraphEdge {
                    from,
                    to,
                    through,
                    ..last
                });
                break;
            }
            through += 1;
        }
    }
    detours
}

/// Keeps the heaviest nodes; returns where each old one stands now. The top level always stays.
fn keep_nodes(graph: &mut CallGraph, threshold_ns: f64, max_nodes: usize) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (1..graph.nodes.len())
        .filter(|&node| graph.nodes[node].inclusive_ns as f64 >= threshold_ns)
        .collect();
    order.small_sort_by_key(|&node| std::cmp::Reverse(graph.nodes[node].inclusive_ns));
    order.truncate(max_nodes.max(1));
    let mut places = vec![None; graph.nodes.len()];
    order
        .iter()
        .chain([&0])
        .for_each(|&node| places[node] = Some(0));
    let mut nodes = Vec::with_capacity(order.len() + 1);
    for (node, place) in std::mem::take(&mut graph.nodes)
        .into_iter()
        .zip(&mut places)
    {
        match place {
            Some(place) => {
                *place = nodes.len();
                nodes.push(node);
            }
            None => graph.hidden_nodes += 1,
        }
    }
    graph.nodes = nodes;
    places
}

fn keep_edges(graph: &mut CallGraph, threshold_ns: f64) {
    let heaviest = heaviest_callers(graph);
    let is_heaviest = |edge: &GraphEdge| heaviest[edge.to] == Some(edge.from);
    let mut order: Vec<usize> = (0..graph.edges.len())
        .filter(|&at| {
            let edge = &graph.edges[at];
            is_heaviest(edge) || edge.weight_ns() as f64 >= threshold_ns
        })
        .collect();
    order.small_sort_by_key(|&at| {
        let edge = &graph.edges[at];
        (!is_heaviest(edge), std::cmp::Reverse(edge.weight_ns()))
    });
    order.truncate(FREE_EDGES.max(graph.nodes.len() * EDGES_PER_NODE));
    order.small_sort_unstable();
    graph.edges = order.into_iter().map(|at| graph.edges[at]).collect();
}

/// For each node the caller (another one) that it was called from for the longest time.
pub(super) fn heaviest_callers(graph: &CallGraph) -> Vec<Option<usize>> {
    let edges = heaviest_edges(graph);
    let from = |edge: Option<usize>| Some(graph.edges[edge?].from);
    edges.into_iter().map(from).collect()
}

/// For each node the edge (from another one) with most time.
fn heaviest_edges(graph: &CallGraph) -> Vec<Option<usize>> {
    let mut best: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    for (at, edge) in graph.edges.iter().enumerate() {
        let best = &mut best[edge.to];
        let is_better = best.is_none_or(|old| edge.inclusive_ns > graph.edges[old].inclusive_ns);
        if edge.from != edge.to && is_better {
            *best = Some(at);
        }
    }
    best
}
