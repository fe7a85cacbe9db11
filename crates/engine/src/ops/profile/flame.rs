//! Flame graphs, and the sandwich of one method.

use std::collections::BTreeMap;

use serde::Deserialize;
use traceloom_analyze::timeline::NameId;
use traceloom_analyze::{
    Flame, FlameDirection, FlameOptions, FlameSide, GroupBy, NO_FRAME, NodeId,
};

use super::ranked::Ranked;
use crate::ask::{Ask, existing};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::{LIST_CHARS, shortened};

#[derive(Deserialize)]
struct Root {
    root: Option<u32>,
}

/// The bars that are visible on the screen.
pub(crate) fn flame(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let ranked = Ranked::new(engine, ask, GroupBy::Method)?;
    let (ranking, tree) = (&ranked.ranking, &ranked.tree()?.tree);
    let mut options = options(ask)?;
    options.focus = ranked.row(ask)?;
    let Root { root } = ask.read()?;
    if let Some(root) = root.filter(|root| *root != NO_FRAME) {
        options.root = Some(NodeId(existing("root", root, tree.nodes.len())?));
    }
    let side = FlameSide {
        tree,
        profile: &ranking.profile,
        names: None,
        scale: 1.0,
        is_base: false,
    };
    let wanted = || !ask.cancel.is_raised();
    let flame = Flame::new(&[side], ranked.clock, &options, &wanted);
    ask.check()?;
    let labels = Labels {
        name: &|row| ranking.names[row as usize],
        text: &|row| ranking.profile.rows[row as usize].function.label(),
    };
    put_bars(engine, answer, &flame, &labels);
    ranked.put_clock(answer);
    Ok(())
}

#[derive(Deserialize)]
struct Question {
    direction: Option<FlameDirection>,
    width_px: Option<f64>,
    from_share: Option<f64>,
    to_share: Option<f64>,
}

/// The options that all flame graphs share.
pub(super) fn options(ask: &Ask) -> Answered<FlameOptions> {
    let question: Question = ask.read()?;
    let direction = question.direction.unwrap_or(FlameDirection::Down);
    let mut options = FlameOptions::new(direction, question.width_px.unwrap_or(1_000.0));
    options.shares = (
        question.from_share.unwrap_or(0.0).clamp(0.0, 1.0),
        question.to_share.unwrap_or(1.0).clamp(0.0, 1.0),
    );
    Ok(options)
}

/// The NameId and the text of a bar, by its row in the profile.
pub(super) struct Labels<'a> {
    pub name: &'a dyn Fn(u32) -> u32,
    pub text: &'a dyn Fn(u32) -> String,
}

/// The columns of a flame graph.
pub(super) fn put_bars(engine: &Engine, answer: &mut Frame, flame: &Flame, labels: &Labels<'_>) {
    let bars = &flame.frames;
    let all = &engine.timeline().names;
    let (mut names, mut hues) = (Vec::new(), Vec::new());
    let deepest = bars.iter().map(|bar| bar.depth).max();
    answer
        .put("total_ns", flame.total_ns)
        .put("depth_max", deepest.unwrap_or(0));
    let mut texts = BTreeMap::new();
    for bar in bars {
        let (mut name, mut hue) = (NO_FRAME, 0);
        if bar.name != NO_FRAME {
            name = (labels.name)(bar.name);
            texts
                .entry(name)
                .or_insert_with(|| shortened((labels.text)(bar.name), LIST_CHARS));
            hue = all.hue(NameId(name));
        }
        names.push(name);
        hues.push(hue);
    }
    answer.put("labels", texts);
    if flame.unfinished_ns > 0.0 {
        answer
            .put("unfinished_ns", flame.unfinished_ns)
            .u8("unfinished", bars, |bar| u8::from(bar.unfinished));
    }
    answer
        .u32("depth", bars, |bar| bar.depth)
        .f64("x", bars, |bar| bar.x)
        .f64("w", bars, |bar| bar.w)
        .f64("self", bars, |bar| bar.own)
        .u32("calls", bars, |bar| {
            u32::try_from(bar.calls).unwrap_or(u32::MAX)
        })
        .u32("name", &names, |name| *name)
        .u32("node", bars, |bar| bar.node)
        .u32("parent", bars, |bar| bar.parent)
        .u8s("hue", &hues);
}
