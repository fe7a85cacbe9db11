//! The call graph as a picture.

use traceloom_analyze::{CallGraph, GraphOptions};

use super::Asked;
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;

/// The picture that `traceloom callgraph` draws.
pub(crate) fn graph(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of(engine, ask, choice::by(ask)?, cancel)?;
    let mut options = GraphOptions::new(asked.clock);
    if let Some(percent) = ask.maybe("min_percent", Ask::f64)? {
        options.threshold_percent = percent;
    }
    options.max_nodes = choice::limit(ask, "max_nodes", options.max_nodes as u32)?.max(1);
    options.focus.extend(asked.rank(ask)?);
    let tree = &asked.made()?.tree;
    let graph = CallGraph::new(tree, &asked.ranking.profile, &options);
    cancel.check()?;
    let title = ask.maybe("title", |ask, field| ask.text(field).map(str::to_owned))?;
    Ok(Frame::new()
        .with("clock", choice::clock_name(asked.clock))
        .with("nodes", graph.nodes.len())
        .with("svg", graph.to_svg(&title.unwrap_or_default())))
}
