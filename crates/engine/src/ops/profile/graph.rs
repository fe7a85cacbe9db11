//! The call graph as a picture.

use serde::Deserialize;
use traceloom_analyze::{CallGraph, GraphOptions};

use super::ranked::{Ranked, group_by};
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

#[derive(Deserialize)]
struct Question {
    min_percent: Option<f64>,
    max_nodes: Option<u32>,
    title: Option<String>,
}

/// The picture that `traceloom callgraph` draws.
pub(crate) fn graph(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let ranked = Ranked::new(engine, ask, group_by(ask)?)?;
    let mut options = GraphOptions::new(ranked.clock);
    if let Some(percent) = question.min_percent {
        options.threshold_percent = percent;
    }
    if let Some(most) = question.max_nodes {
        options.max_nodes = most.max(1) as usize;
    }
    options.focus.extend(ranked.row(ask)?);
    let tree = &ranked.tree()?.tree;
    let graph = CallGraph::new(tree, &ranked.ranking.profile, &options);
    ask.check()?;
    ranked.put_clock(answer);
    let title = question.title.unwrap_or_default();
    answer
        .put("nodes", graph.nodes.len())
        .put("svg", traceloom_graph::to_svg(&graph, &title));
    Ok(())
}
