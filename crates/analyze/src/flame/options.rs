//! Options of a flame graph.

use serde::Deserialize;

use crate::profile::Profile;
use crate::tree::{CallTree, NodeId};

/// The direction in which a flame graph grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlameDirection {
    /// From the outermost calls to their callees.
    Down,
    /// From methods to their callers. Widths are exclusive times, or with a focus the inclusive times of its outermost
    /// calls.
    Up,
}

/// Options of a flame graph.
#[derive(Clone, Copy, Debug)]
pub struct FlameOptions {
    /// The direction.
    pub direction: FlameDirection,
    /// Merges all calls of this row of the first side's profile. `None` shows everything.
    pub focus: Option<usize>,
    /// Shows only the path of this node of the first side's tree, in all threads. Only for direction
    /// [`Down`](FlameDirection::Down) without a focus.
    pub root: Option<NodeId>,
    /// The width of the screen, px.
    pub width_px: f64,
    /// The part of the graph that is on the screen: its left and right end, 0 to 1.
    pub shares: (f64, f64),
}

impl FlameOptions {
    /// Shows everything, on a screen of this width in px.
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

/// A tree in a flame graph, with its profile by method.
#[derive(Clone, Copy)]
pub struct FlameSide<'a> {
    /// The tree.
    pub tree: &'a CallTree,
    /// Its profile.
    pub profile: &'a Profile,
    /// The name of each profile row in the graph. `None` uses the row numbers.
    pub names: Option<&'a [u32]>,
    /// The factor for its times, to average several runs.
    pub scale: f64,
    /// Whether this is a base side of a comparison.
    pub is_base: bool,
}
