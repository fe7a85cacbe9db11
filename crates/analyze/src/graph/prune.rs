//! Removes insignificant parts before layout.

use std::cmp::Reverse;

use traceloom_trace::sort;

use super::model::{CallGraph, GraphEdge, GraphOptions};

/// The maximum number of edges per shown node, beyond the first [`FREE_EDGES`]. With more edges, a
/// picture is unreadable.
const EDGES_PER_NODE: usize = 4;

/// The number of edges that is always allowed.
const FREE_EDGES: usize = 100;

/// Prunes the graph. A node that is kept also keeps the heaviest edge that leads to it, even below
/// the threshold, so that it stays connected. If all its callers are removed, it is connected to
/// the nearest kept caller above them.
pub(super) fn prune(graph: &mut CallGraph, options: &GraphOptions) {
    let threshold_ns = graph.total_ns.max(0) as f64 * options.threshold_percent / 100.0;
    let callers = graph.heaviest_edges();
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
    sort::by_key(&mut graph.edges, |edge| (edge.from, edge.to));
}

/// Edges that bypass hidden callers, for nodes without a shown caller.
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
        // The heaviest callers may form a cycle, which leads nowhere.
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

/// Keeps the heaviest nodes; returns the new index of each old node. The top level is always kept.
fn keep_nodes(graph: &mut CallGraph, threshold_ns: f64, max_nodes: usize) -> Vec<Option<usize>> {
    let mut order = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate().skip(1) {
        if node.inclusive_ns as f64 >= threshold_ns {
            order.push(at);
        }
    }
    sort::by_key(&mut order, |&node| Reverse(graph.nodes[node].inclusive_ns));
    order.truncate(max_nodes.max(1));
    order.push(0);
    let is_kept = keep(&mut graph.nodes, &order);
    graph.hidden_nodes += is_kept.len() - graph.nodes.len();
    let mut count = 0;
    let mut places = Vec::with_capacity(is_kept.len());
    for is_kept in is_kept {
        places.push(is_kept.then_some(count));
        count += usize::from(is_kept);
    }
    places
}

fn keep_edges(graph: &mut CallGraph, threshold_ns: f64) {
    let heaviest = graph.heaviest_callers();
    let is_heaviest = |edge: &GraphEdge| heaviest[edge.to] == Some(edge.from);
    let mut order = Vec::new();
    for (at, edge) in graph.edges.iter().enumerate() {
        if is_heaviest(edge) || edge.weight_ns() as f64 >= threshold_ns {
            order.push(at);
        }
    }
    sort::by_key(&mut order, |&at| {
        let edge = &graph.edges[at];
        (!is_heaviest(edge), Reverse(edge.weight_ns()))
    });
    order.truncate(FREE_EDGES.max(graph.nodes.len() * EDGES_PER_NODE));
    keep(&mut graph.edges, &order);
}

/// Keeps the items at some indexes, in order. Returns for each item whether it was kept.
fn keep<T>(items: &mut Vec<T>, places: &[usize]) -> Vec<bool> {
    let mut is_kept = vec![false; items.len()];
    for &place in places {
        is_kept[place] = true;
    }
    let mut answers = is_kept.iter();
    items.retain(|_| answers.next() == Some(&true));
    is_kept
}
