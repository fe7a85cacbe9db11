//! The tree, a few levels at a time.

use crate::json::Value;
use traceloom_analyze::{TreeDirection, TreeView, TreeViewOptions};

use super::{Asked, ROWS, json};
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;

const DIRECTIONS: [(TreeDirection, &str); 2] = [
    (TreeDirection::TopDown, "top_down"),
    (TreeDirection::BottomUp, "bottom_up"),
];

/// The rows below `path`, or the outermost.
pub(crate) fn tree(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of(engine, ask, choice::by(ask)?, cancel)?;
    let expected = "top_down or bottom_up";
    let direction = choice::choice(ask, "direction", expected, &DIRECTIONS)?;
    let options = TreeViewOptions {
        direction: direction.unwrap_or(TreeDirection::TopDown),
        min_percent: ask.maybe("min_percent", Ask::f64)?.unwrap_or(0.0),
        max_children: choice::limit(ask, "max_children", ROWS)?,
        max_depth: choice::limit(ask, "max_depth", 1)?.max(1) as u32,
    };
    let path = ask.maybe("path", Ask::u32s)?.unwrap_or_default();
    let places: Vec<usize> = path.iter().map(|&place| place as usize).collect();
    let (profile, tree) = (&asked.ranking.profile, &asked.made()?.tree);
    let view = profile.tree_below(tree, &options, &places);
    let view = view.ok_or_else(|| EngineError::Field {
        field: "path",
        expected: "places of rows, each below the one before",
        found: "others".to_owned(),
    })?;
    cancel.check()?;
    Ok(Frame::new()
        .with("clock", choice::clock_name(asked.clock))
        .with("total", json::times(&view.total))
        .with("rows", rows(&view))
        .with("hidden", view.hidden))
}

fn rows(view: &TreeView) -> Vec<Value> {
    let rows = view.rows.iter().map(|row| {
        let mut map = json::function(&row.function);
        map.insert("depth", &row.depth);
        map.insert("calls", &row.calls);
        map.insert("inclusive", &json::times(&row.inclusive));
        map.insert("exclusive", &json::times(&row.exclusive));
        map.insert("hidden", &row.hidden);
        map.end()
    });
    rows.collect()
}
