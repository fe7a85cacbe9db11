//! Flame graphs, and the sandwich of one method.

use rustc_hash::FxHashSet;
use traceloom_analyze::timeline::NameId;
use traceloom_analyze::{
    Flame, FlameDirection, FlameOptions, FlameSide, GroupBy, NO_FRAME, NodeId,
};

use super::Asked;
use crate::ask::{Ask, existing};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::LIST_CHARS;

/// The bars that reach the screen.
pub(crate) fn flame(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of(engine, ask, GroupBy::Method)?;
    let (ranking, tree) = (&asked.ranking, &asked.made()?.tree);
    let mut options = options(ask)?;
    options.focus = asked.rank(ask)?;
    let root = ask.u32_or("root", NO_FRAME)?;
    if root != NO_FRAME {
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
    let flame = Flame::new(&[side], asked.clock, &options, &wanted);
    ask.check()?;
    let labels = Labels {
        name: &|row| ranking.names[row as usize],
        text: &|row| ranking.profile.rows[row as usize].function.label(),
    };
    put_bars(engine, answer, &flame, &labels);
    asked.put_clock(answer);
    Ok(())
}

/// What every flame graph may be asked.
#[expect(
    clippy::manual_clamp,
    reason = "what clamp says in a panic takes kilobytes"
)]
pub(super) fn options(ask: &Ask) -> Answered<FlameOptions> {
    let direction = match ask.choice("direction", "down or up", &["down", "up"])? {
        Some(1) => FlameDirection::Up,
        _ => FlameDirection::Down,
    };
    let mut options = FlameOptions::new(direction, ask.f64_or("width_px", 1_000.0)?);
    options.shares = (
        ask.f64_or("from_share", 0.0)?.max(0.0).min(1.0),
        ask.f64_or("to_share", 1.0)?.max(0.0).min(1.0),
    );
    Ok(options)
}

/// How the names of bars become NameIds and texts.
pub(super) struct Labels<'a> {
    pub name: &'a dyn Fn(u32) -> u32,
    pub text: &'a dyn Fn(u32) -> String,
}

/// The columns of a flame graph.
pub(super) fn put_bars(engine: &Engine, answer: &mut Frame, flame: &Flame, labels: &Labels<'_>) {
    let bars = &flame.frames;
    let (mut deepest, mut known) = (0, FxHashSet::default());
    let (mut names, mut hues) = (Vec::new(), Vec::new());
    answer.put("total_ns", flame.total_ns);
    for bar in bars {
        deepest = bar.depth.max(deepest);
    }
    answer.put("depth_max", deepest);
    answer.json.object("labels", |json| {
        for bar in bars {
            let (mut name, mut hue) = (NO_FRAME, 0);
            if bar.name != NO_FRAME {
                name = (labels.name)(bar.name);
                if known.insert(name) {
                    json.put_cut(&name.to_string(), &(labels.text)(bar.name), LIST_CHARS);
                }
                hue = engine.timeline().names.hue(NameId(name));
            }
            names.push(name);
            hues.push(hue);
        }
    });
    answer
        .u32("depth", bars, &|bar| bar.depth)
        .f64("x", bars, &|bar| bar.x)
        .f64("w", bars, &|bar| bar.w)
        .f64("self", bars, &|bar| bar.own)
        .u32("calls", bars, &|bar| {
            u32::try_from(bar.calls).unwrap_or(u32::MAX)
        })
        .u32("name", &names, &|name| *name)
        .u32("node", bars, &|bar| bar.node)
        .u32("parent", bars, &|bar| bar.parent)
        .u8s("hue", &hues);
}
