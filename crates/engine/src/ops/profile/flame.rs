//! Flame graphs, and the sandwich of one method.

use crate::json::Map;
use rustc_hash::FxHashSet;
use traceloom_analyze::timeline::NameId;
use traceloom_analyze::{
    Flame, FlameDirection, FlameFrame, FlameOptions, FlameSide, GroupBy, NO_FRAME, NodeId,
};

use super::Asked;
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{LIST_CHARS, cut};

const DIRECTIONS: [(FlameDirection, &str); 2] =
    [(FlameDirection::Down, "down"), (FlameDirection::Up, "up")];

/// The bars that reach the screen.
pub(crate) fn flame(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of(engine, ask, GroupBy::Method, cancel)?;
    let (ranking, tree) = (&asked.ranking, &asked.made()?.tree);
    let mut options = options(ask)?;
    options.focus = asked.rank(ask)?;
    if let Some(root) = ask
        .maybe("root", Ask::u32)?
        .filter(|root| *root != NO_FRAME)
    {
        options.root = Some(existing(root, tree.nodes.len())?);
    }
    let side = FlameSide {
        tree,
        profile: &ranking.profile,
        names: None,
        scale: 1.0,
        is_base: false,
    };
    let flame = Flame::new(&[side], asked.clock, &options, &|| !cancel.is_raised());
    cancel.check()?;
    let labels = Labels {
        name: &|row| ranking.names[row as usize],
        text: &|row| ranking.profile.rows[row as usize].function.label(),
        hue: &|name| engine.hue(name),
    };
    Ok(frame(&flame, &labels).with("clock", choice::clock_name(asked.clock)))
}

fn existing(node: u32, count: usize) -> Result<NodeId, EngineError> {
    match (node as usize) < count {
        true => Ok(NodeId(node)),
        false => Err(EngineError::NoSuchRow {
            field: "root",
            id: node.into(),
            count: count as u64,
        }),
    }
}

/// What every flame graph may be asked.
#[expect(
    clippy::manual_clamp,
    reason = "what clamp says in a panic takes kilobytes"
)]
pub(super) fn options(ask: &Ask) -> Result<FlameOptions, EngineError> {
    let direction = choice::choice(ask, "direction", "down or up", &DIRECTIONS)?;
    let share = |field| ask.maybe(field, Ask::f64);
    let width = ask.maybe("width_px", Ask::f64)?.unwrap_or(1_000.0);
    let mut options = FlameOptions::new(direction.unwrap_or(FlameDirection::Down), width);
    options.shares = (
        share("from_share")?.unwrap_or(0.0).max(0.0).min(1.0),
        share("to_share")?.unwrap_or(1.0).max(0.0).min(1.0),
    );
    Ok(options)
}

/// How the names of bars become NameIds and texts.
pub(super) struct Labels<'a> {
    pub name: &'a dyn Fn(u32) -> u32,
    pub text: &'a dyn Fn(u32) -> String,
    /// Of a NameId.
    pub hue: &'a dyn Fn(u32) -> u8,
}

/// The columns of a flame graph.
pub(super) fn frame(flame: &Flame, labels: &Labels<'_>) -> Frame {
    let (mut texts, mut known) = (Map::new(), FxHashSet::default());
    let mut names = Vec::with_capacity(flame.frames.len());
    let mut hues = Vec::with_capacity(flame.frames.len());
    for bar in &flame.frames {
        let (mut name, mut colour) = (NO_FRAME, 0);
        if bar.name != NO_FRAME {
            name = (labels.name)(bar.name);
            if known.insert(name) {
                let text = (labels.text)(bar.name);
                texts.insert(&name.to_string(), &cut(&text, LIST_CHARS));
            }
            colour = (labels.hue)(name);
        }
        names.push(name);
        hues.push(colour);
    }
    let u32s = |of: fn(&FlameFrame) -> u32| flame.frames.iter().map(of);
    let f64s = |of: fn(&FlameFrame) -> f64| flame.frames.iter().map(of);
    Frame::new()
        .with("total_ns", flame.total_ns)
        .with("depth_max", u32s(|bar| bar.depth).max().unwrap_or(0))
        .with("labels", texts)
        .u32("depth", u32s(|bar| bar.depth))
        .f64("x", f64s(|bar| bar.x))
        .f64("w", f64s(|bar| bar.w))
        .f64("self", f64s(|bar| bar.own))
        .u32(
            "calls",
            u32s(|bar| u32::try_from(bar.calls).unwrap_or(u32::MAX)),
        )
        .u32("name", names)
        .u32("node", u32s(|bar| bar.node))
        .u32("parent", u32s(|bar| bar.parent))
        .u8("hue", hues)
}

impl Engine {
    /// The colour of a name.
    pub(super) fn hue(&self, name: u32) -> u8 {
        self.timeline().names.hue(NameId(name))
    }
}
