//! The call tree, a few levels at a time.

use serde::{Deserialize, Serialize};
use traceloom_analyze::{Times, TreeDirection, TreeViewOptions, TreeViewRow};

use super::ranked::{DEFAULT_ROWS, Ranked, group_by};
use super::texts::FunctionTexts;
use crate::ask::{Ask, unexpected};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

#[derive(Deserialize)]
struct Question {
    direction: Option<TreeDirection>,
    min_percent: Option<f64>,
    max_children: Option<u32>,
    max_depth: Option<u32>,
    path: Option<Vec<u32>>,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    function: FunctionTexts<'a>,
    depth: u32,
    calls: u64,
    inclusive: Times,
    exclusive: Times,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Times>,
    hidden: usize,
}

impl<'a> Row<'a> {
    fn new(row: &'a TreeViewRow) -> Self {
        Self {
            function: FunctionTexts::new(&row.function),
            depth: row.depth,
            calls: row.calls,
            inclusive: row.inclusive,
            exclusive: row.exclusive,
            unfinished: row.unfinished,
            hidden: row.hidden,
        }
    }
}

/// The rows below `path`, or the outermost ones.
pub(crate) fn tree(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let ranked = Ranked::new(engine, ask, group_by(ask)?)?;
    let options = TreeViewOptions {
        direction: question.direction.unwrap_or(TreeDirection::TopDown),
        min_percent: question.min_percent.unwrap_or(0.0),
        max_children: question.max_children.unwrap_or(DEFAULT_ROWS) as usize,
        max_depth: question.max_depth.unwrap_or(1).max(1),
    };
    let path = question.path.unwrap_or_default();
    let places: Vec<usize> = path.iter().map(|&place| place as usize).collect();
    let (profile, tree) = (&ranked.ranking.profile, &ranked.tree()?.tree);
    let view = profile.tree_below(tree, &options, &places);
    let expected = "places of rows, each below the one before";
    let view = view.ok_or_else(|| unexpected("path", expected, format_args!("{path:?}")))?;
    ask.check()?;
    ranked.put_clock(answer);
    answer
        .put("total", view.total)
        .put("rows", view.rows.iter().map(Row::new).collect::<Vec<_>>())
        .put("hidden", view.hidden);
    Ok(())
}
