//! The tree, a few levels at a time.

use traceloom_analyze::{TreeDirection, TreeViewOptions};

use super::{Asked, ROWS, json};
use crate::ask::Ask;
use crate::choice;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The rows below `path`, or the outermost.
pub(crate) fn tree(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of(engine, ask, choice::by(ask)?)?;
    let names = ["top_down", "bottom_up"];
    let options = TreeViewOptions {
        direction: match ask.choice("direction", "top_down or bottom_up", &names)? {
            Some(1) => TreeDirection::BottomUp,
            _ => TreeDirection::TopDown,
        },
        min_percent: ask.f64_or("min_percent", 0.0)?,
        max_children: ask.u32_or("max_children", ROWS)? as usize,
        max_depth: ask.u32_or("max_depth", 1)?.max(1),
    };
    let path = ask.maybe("path", Ask::u32s)?.unwrap_or_default();
    let places: Vec<usize> = path.iter().map(|&place| place as usize).collect();
    let (profile, tree) = (&asked.ranking.profile, &asked.made()?.tree);
    let view = profile.tree_below(tree, &options, &places);
    let below = "places of rows, each below the one before";
    let view = view.ok_or_else(|| ask.other("path", below))?;
    ask.check()?;
    asked.put_clock(answer);
    let out = &mut answer.json;
    json::put_times(out, "total", &view.total);
    out.objects("rows", &view.rows, |out, row| {
        json::put_function(out, &row.function);
        out.put("depth", row.depth).put("calls", row.calls);
        json::put_times(out, "inclusive", &row.inclusive);
        json::put_times(out, "exclusive", &row.exclusive);
        out.put("hidden", row.hidden);
    });
    out.put("hidden", view.hidden);
    Ok(())
}
