//! Flame graphs: call paths as nested bars whose width is their time, limited to what a screen
//! shows.
//!
//! Threads are merged, and siblings are ordered by time, largest first. Only the bars that are wide
//! enough to see are created. The work therefore depends on the width of the screen, not on the size
//! of the tree. Siblings that are too narrow become one gap, which follows the other siblings:
//!
//! ```text
//! | a                      | b      |g|        g: c, d, e …, each narrower than the limit
//! | a1          | a2 | self|  self  |
//! ```
//!
//! The unfinished time of slices that never ended is a separate part at the right end. It repeats the paths that have
//! such time.

mod members;
mod options;

pub use options::{FlameDirection, FlameOptions, FlameSide};

use crate::tree::Measure;
use members::{Group, Members, Part};
use traceloom_trace::sort;

/// Means "none" in [`FlameFrame`].
pub const NO_FRAME: u32 = u32::MAX;

/// The maximum number of caller levels. In an inverted tree, each level may contain every call of a
/// recursive method, so a limit bounds the cost.
const MOST_CALLERS: u32 = 1_000;

/// A bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlameFrame {
    /// 0 for the outermost calls (upwards: for the methods themselves).
    pub depth: u32,
    /// Its left edge, ns from the left of the graph.
    pub x: f64,
    /// Its width, ns.
    pub w: f64,
    /// The part of its width that no bar on top of it covers, ns.
    pub own: f64,
    /// The part of its width that comes from base sides, ns.
    pub base: f64,
    /// The calls of all sides.
    pub calls: u64,
    /// The profile row of the function (or its [name](FlameSide::names)); [`NO_FRAME`] for a gap.
    pub name: u32,
    /// Whether its width is unfinished time.
    pub unfinished: bool,
    /// A node of the function, from the first side that has it; [`NO_FRAME`] for a gap.
    pub node: u32,
    /// The bar below it; [`NO_FRAME`] for the first level.
    pub parent: u32,
}

/// A flame graph: its bars by level, each level from left to right.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Flame {
    /// The width of the graph, ns.
    pub total_ns: f64,
    /// The width of its right part, which is unfinished time, ns.
    pub unfinished_ns: f64,
    /// The bars on the screen.
    pub frames: Vec<FlameFrame>,
}

/// A bar to draw, and its nodes.
struct Pending {
    depth: u32,
    parent: u32,
    x: f64,
    w: f64,
    group: Group,
}

impl Flame {
    /// Lays out the bars that are at least half a pixel wide. Stops early, with the bars so far, if `goes_on` returns
    /// `false`.
    pub fn new(
        sides: &[FlameSide<'_>],
        clock: Measure,
        options: &FlameOptions,
        goes_on: &dyn Fn() -> bool,
    ) -> Self {
        let members = Members::new(sides, clock, options);
        let (top, finished_ns) = members.top(Part::Finished);
        let (top_of_unfinished, unfinished_ns) = members.top(Part::Unfinished);
        let total_ns = finished_ns + unfinished_ns;
        let (from, to) = options.shares;
        let screen = (from * total_ns, to * total_ns);
        let mut layout = Layout {
            members,
            least: 0.5 * (screen.1 - screen.0) / options.width_px.max(1.0),
            screen,
            waiting: Vec::new(),
            frames: Vec::new(),
        };
        layout.place(top, 0, NO_FRAME, (0.0, finished_ns));
        layout.place(top_of_unfinished, 0, NO_FRAME, (finished_ns, total_ns));
        // One level at a time.
        while !layout.waiting.is_empty() {
            for pending in std::mem::take(&mut layout.waiting) {
                if layout.frames.len().is_multiple_of(256) && !goes_on() {
                    layout.waiting.clear();
                    break;
                }
                layout.draw(pending);
            }
        }
        Self {
            total_ns,
            unfinished_ns,
            frames: layout.frames,
        }
    }
}

struct Layout<'a> {
    members: Members<'a>,
    /// The width of the narrowest bar that is drawn, ns.
    least: f64,
    screen: (f64, f64),
    waiting: Vec<Pending>,
    frames: Vec<FlameFrame>,
}

impl Layout<'_> {
    /// Places siblings next to each other between two positions, and merges the narrow ones into a
    /// gap. Returns their total time.
    fn place(&mut self, mut groups: Vec<Group>, depth: u32, parent: u32, ends: (f64, f64)) -> f64 {
        sort::by(&mut groups, |a, b| {
            (b.w.total_cmp(&a.w)).then(a.name.cmp(&b.name))
        });
        let sum = groups.iter().map(|group| group.w).sum();
        let shown = groups.partition_point(|group| group.w > 0.0 && group.w >= self.least);
        let gap = joined(&groups[shown..]);
        groups.truncate(shown);
        groups.extend(gap);
        let mut x = ends.0;
        for group in groups {
            // If a clock stepped back, callees can have more time than their caller.
            let w = group.w.min(ends.1 - x).max(0.0);
            if w >= self.least && w > 0.0 && x < self.screen.1 && x + w > self.screen.0 {
                self.waiting.push(Pending {
                    depth,
                    parent,
                    x,
                    w,
                    group,
                });
            }
            x += w;
        }
        sum
    }

    fn is_last(&self, depth: u32) -> bool {
        depth + 1 >= MOST_CALLERS && self.members.direction() == FlameDirection::Up
    }

    fn draw(&mut self, pending: Pending) {
        let Pending {
            depth,
            parent,
            x,
            w,
            group,
        } = pending;
        let at = self.frames.len();
        let below = if self.is_last(depth) {
            Vec::new()
        } else {
            self.members.below(&group)
        };
        let within = self.place(below, depth + 1, at as u32, (x, x + w));
        let node = group.members.first().map_or(NO_FRAME, |first| first.at.0);
        self.frames.push(FlameFrame {
            depth,
            x,
            w,
            own: (w - within).max(0.0),
            base: group.base,
            calls: group.calls,
            name: group.name,
            unfinished: group.part == Part::Unfinished,
            node,
            parent,
        });
    }
}

/// Merges the groups that are too narrow to draw.
fn joined(groups: &[Group]) -> Option<Group> {
    let first = groups.first()?;
    Some(Group {
        name: NO_FRAME,
        part: first.part,
        members: Vec::new(),
        w: groups.iter().map(|group| group.w).sum(),
        base: groups.iter().map(|group| group.base).sum(),
        calls: groups.iter().map(|group| group.calls).sum(),
    })
}
