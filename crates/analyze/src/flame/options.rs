//! What a flame graph shows.

use serde::Deserialize;

use crate::profile::Profile;
use crate::tree::{CallTree, NodeId};

/// Which way a flame graph grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlameDirection {
    /// From the outermost calls to those within.
    Down,
    /// From methods to their callers. Without a focus by each method's exclusive time, with one by
    /// the inclusive time of its calls, those within calls of itself not counted again.
    Up,
}

/// What of a flame graph is asked for.
#[derive(Clone, Copy, Debug)]
pub struct FlameOptions {
    /// Which way.
    pub direction: FlameDirection,
    /// All calls of this row of the first side's profile, merged; else everything.
    pub focus: Option<usize>,
    /// Only what this node of the first side's tree stands for: its path in all threads. Downwards
    /// and without a focus only.
    pub root: Option<NodeId>,
    /// How wide the screen is, px.
    pub width_px: f64,
    /// The part of the whole that is on the screen, 0 to 1.
    pub shares: (f64, f64),
}

impl FlameOptions {
    /// Everything, on a screen of this many pixels.
    pub fn new(direction: FlameDirection, width_px: f64) -> Self {
        Self {
            direction,
            focus: None,
            root: None,
            width_px,
            shares: (0.0, 1.0),
        }
    }
}

/// A tree that goes into the picture, with its profile by method.
#[derive(Clone, Copy)]
pub struct FlameSide<'a> {
    /// The tree.
    pub tree: &'a CallTree,
    /// Its profile.
    pub profile: &'a Profile,
    /// What each of the profile's rows is called in the picture; `None`: its place.
    pub names: Option<&'a [u32]>,
    /// What its times are multiplied with: several runs are averaged so.
    pub scale: f64,
    /// Whether it is what others are compared with.
    pub is_base: bool,
}
