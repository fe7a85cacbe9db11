//! The two merged trees: one grows towards the callees, the other towards the callers.

use rustc_hash::FxHashMap;

use super::column::Column;
use super::config::{Config, View};
use super::none::NONE;
use super::paths::Paths;
use super::source::Source;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;

/// A tree in which equal frames below the same node are merged. Nodes come after their parents.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The parent of each node, or [`NONE`].
    pub parents: Vec<u32>,
    /// The first row of each node.
    pub rows: Vec<u32>,
    nodes: FxHashMap<(u32, u32), u32>,
}

impl Tree {
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The node of a frame below a parent.
    fn node(
        &mut self,
        parent: u32,
        identity: u32,
        row: usize,
        meter: &mut Meter,
    ) -> Result<u32, Failure> {
        meter.tick()?;
        let next = u32::try_from(self.parents.len()).map_err(|_| Failure::Memory)?;
        let node = *self.nodes.entry((parent, identity)).or_insert(next);
        if node == next {
            // The node, its place in the map, and its values.
            meter.grow(64)?;
            self.parents.push(parent);
            self.rows.push(row as u32);
        }
        Ok(node)
    }
}

/// A frame that is part of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub frame: u32,
    pub node: u32,
}

/// A stack in the tree of callers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack {
    /// The frame it starts from.
    pub frame: u32,
    /// The node of that frame, a root of the tree.
    pub first: u32,
    /// The node of the outermost caller.
    pub last: u32,
}

/// Both trees.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The tree of callees.
    pub down: Tree,
    /// The node of each row in it, or [`NONE`].
    pub node_of_row: Vec<u32>,
    /// The tree of callers.
    pub up: Tree,
    pub stacks: Vec<Stack>,
    /// The frames that the nodes of callers consist of; only filled for aggregates.
    pub parts: Vec<Part>,
}

impl Halves {
    /// Builds the trees that the view needs.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn new(
        source: &Source,
        config: &Config,
        paths: &Paths,
        meter: &mut Meter,
    ) -> Result<Self, Failure> {
        meter.grow(source.len() * 4)?;
        let mut halves = Self {
            node_of_row: vec![NONE; source.len()],
            ..Self::default()
        };
        if config.view != View::BottomUp {
            halves.grow_down(source, config, paths, meter)?;
        }
        let starts = match config.view {
            View::BottomUp => with_values(source, config, paths)?,
            View::Pivot => (0..source.len()).map(|row| paths.is_pivot(row)).collect(),
            _ => Vec::new(),
        };
        for frame in (0..starts.len()).filter(|frame| starts[*frame]) {
            let is_counted = paths.is_shown(frame) || config.view == View::BottomUp;
            let wants_parts = is_counted && !config.aggregates.is_empty();
            halves.grow_up(source, paths, frame, wants_parts, meter)?;
        }
        Ok(halves)
    }

    fn grow_down(
        &mut self,
        source: &Source,
        config: &Config,
        paths: &Paths,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        for row in 0..source.len() {
            let parent = source.parents[row];
            let parent_node = self.node_of_row.get(parent as usize).copied();
            let parent_node = parent_node.unwrap_or(NONE);
            if !paths.is_kept(row) {
                self.node_of_row[row] = parent_node;
                continue;
            }
            let has_frame_above = parent != NONE && paths.frame(parent as usize).is_some();
            // A matching frame starts a tree of its own, even if it is below another matching frame.
            let starts = match config.view {
                View::TopDown => !has_frame_above,
                _ => paths.is_pivot(row),
            };
            if starts || parent_node != NONE {
                let above = if starts { NONE } else { parent_node };
                let node = self.down.node(above, paths.identity[row], row, meter)?;
                self.node_of_row[row] = node;
            }
        }
        Ok(())
    }

    /// Adds the callers of a frame.
    fn grow_up(
        &mut self,
        source: &Source,
        paths: &Paths,
        start: usize,
        wants_parts: bool,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        let (mut node, mut first) = (NONE, NONE);
        let mut next = Some(start);
        while let Some(frame) = next {
            node = self.up.node(node, paths.identity[frame], frame, meter)?;
            if first == NONE {
                first = node;
            }
            if wants_parts {
                meter.grow(size_of::<Part>())?;
                let frame = frame as u32;
                self.parts.push(Part { frame, node });
            }
            next = match source.parents[frame] {
                NONE => None,
                parent => paths.frame(parent as usize),
            };
        }
        meter.grow(size_of::<Stack>())?;
        self.stacks.push(Stack {
            frame: start as u32,
            first,
            last: node,
        });
        Ok(())
    }
}

/// The frames that have their own values.
fn with_values(source: &Source, config: &Config, paths: &Paths) -> Result<Vec<bool>, Failure> {
    let mut has = vec![false; source.len()];
    for name in &config.values {
        let column = source.column(name)?;
        for row in (0..source.len()).filter(|row| paths.is_shown(*row)) {
            let is_zero = match column {
                Column::Integer(values) => values[row].is_none_or(|value| value == 0),
                Column::Real(values) => values[row].is_none_or(|value| value == 0.0),
                _ => true,
            };
            if let Some(frame) = paths.frame(row).filter(|_| !is_zero) {
                has[frame] = true;
            }
        }
    }
    Ok(has)
}
