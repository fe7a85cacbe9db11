//! The call graph as a picture.

use traceloom_analyze::{CallGraph, GraphOptions};

use super::Asked;
use crate::ask::Ask;
use crate::choice;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The picture that `traceloom callgraph` draws.
pub(crate) fn graph(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of(engine, ask, choice::by(ask)?)?;
    let mut options = GraphOptions::new(asked.clock);
    options.threshold_percent = ask.f64_or("min_percent", options.threshold_percent)?;
    let most = ask.u32_or("max_nodes", options.max_nodes as u32)?;
    options.max_nodes = most.max(1) as usize;
    options.focus.extend(asked.rank(ask)?);
    let tree = &asked.made()?.tree;
    let graph = CallGraph::new(tree, &asked.ranking.profile, &options);
    ask.check()?;
    let title = ask.maybe_text("title")?.unwrap_or_default();
    asked.put_clock(answer);
    answer
        .put("nodes", graph.nodes.len())
        .put("svg", graph.to_svg(title));
    Ok(())
}
