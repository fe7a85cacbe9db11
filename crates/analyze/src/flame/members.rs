//! The tree nodes behind each bar.

use super::options::{FlameDirection, FlameOptions, FlameSide};
use crate::profile::sorted_by_group;
use crate::tree::{Measure, NodeId};

/// The time of the nodes that a part of the graph shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Finished,
    /// The unfinished time of slices that never ended.
    Unfinished,
}

/// A node of a bar, and the node whose time is used (downwards: the same node).
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub at: NodeId,
    origin: NodeId,
    side: u32,
    part: Part,
    /// Its time, ns.
    w: f64,
}

/// The nodes of one name below the same bar.
pub(super) struct Group {
    pub name: u32,
    pub part: Part,
    pub members: Vec<Member>,
    pub w: f64,
    pub base: f64,
    pub calls: u64,
}

pub(super) struct Members<'a> {
    sides: &'a [FlameSide<'a>],
    clock: Measure,
    options: &'a FlameOptions,
    /// One more than the largest name.
    names: usize,
}

impl<'a> Members<'a> {
    pub(super) fn new(
        sides: &'a [FlameSide<'a>],
        clock: Measure,
        options: &'a FlameOptions,
    ) -> Self {
        Self {
            sides,
            clock,
            options,
            names: sides.iter().map(most_names).fold(0, usize::max),
        }
    }

    pub(super) fn direction(&self) -> FlameDirection {
        self.options.direction
    }

    /// The first level of a part of the graph, and the width of the part, ns.
    pub(super) fn top(&self, part: Part) -> (Vec<Group>, f64) {
        let options = self.options;
        let has_part =
            |side: &FlameSide<'_>| part == Part::Finished || side.tree.nodes.has_unfinished();
        if !self.sides.iter().any(has_part) {
            return (Vec::new(), 0.0);
        }
        let first = match (options.focus, options.direction, options.root) {
            (Some(_), ..) => self.nodes(options.focus, part),
            (None, FlameDirection::Up, _) => self.nodes(None, part),
            (None, FlameDirection::Down, Some(root)) => self.same_path(root, part),
            (None, FlameDirection::Down, None) => {
                let roots = self.roots(part);
                let total = roots.iter().map(|root| root.w).sum();
                return (self.gather(self.children(&roots)), total);
            }
        };
        let groups = self.gather(first);
        let total = groups.iter().map(|group| group.w).sum();
        (groups, total)
    }

    /// The bars on top of a bar.
    pub(super) fn below(&self, group: &Group) -> Vec<Group> {
        match self.options.direction {
            FlameDirection::Down => self.gather(self.children(&group.members)),
            FlameDirection::Up => self.gather(self.callers(&group.members)),
        }
    }

    fn roots(&self, part: Part) -> Vec<Member> {
        let mut roots = Vec::new();
        for (side, number) in self.sides.iter().zip(0..) {
            for thread in &side.tree.threads {
                roots.push(self.member(thread.root, number, part));
            }
        }
        roots
    }

    /// The outermost calls of a method. Without a method, every node with exclusive time.
    fn nodes(&self, focus: Option<usize>, part: Part) -> Vec<Member> {
        let name = focus.and_then(|row| Some(name_of(self.sides.first()?, row)));
        let mut found = Vec::new();
        for (side, number) in self.sides.iter().zip(0..) {
            let recursive = focus.map(|_| side.profile.recursive_nodes(side.tree));
            for thread in &side.tree.threads {
                for row in side.tree.rows_of(thread) {
                    let node = NodeId(row as u32);
                    if let Some(recursive) = recursive
                        && (recursive[row] || self.name(node, side) != name)
                    {
                        continue;
                    }
                    let member = self.member(node, number, part);
                    if focus.is_some() && part == Part::Finished || member.w > 0.0 {
                        found.push(member);
                    }
                }
            }
        }
        found
    }

    /// All nodes whose path has the same names as that of `node`.
    fn same_path(&self, node: NodeId, part: Part) -> Vec<Member> {
        let Some(first) = self.sides.first() else {
            return Vec::new();
        };
        let mut path = Vec::new();
        let mut at = node;
        while at != NodeId::NONE && at.row() < first.tree.nodes.len() {
            path.extend(self.name(at, first));
            at = first.tree.nodes.parent(at);
        }
        let mut members = self.roots(part);
        while let Some(name) = path.pop() {
            members = self.children(&members);
            members.retain(|member| {
                self.name(member.at, &self.sides[member.side as usize]) == Some(name)
            });
        }
        members
    }

    fn children(&self, members: &[Member]) -> Vec<Member> {
        let mut below = Vec::new();
        for member in members {
            let nodes = &self.sides[member.side as usize].tree.nodes;
            for child in nodes.children(member.at) {
                let child = self.member(child, member.side, member.part);
                if member.part == Part::Finished || child.w > 0.0 {
                    below.push(child);
                }
            }
        }
        below
    }

    /// The caller of each member. The outermost calls of a thread have none.
    fn callers(&self, members: &[Member]) -> Vec<Member> {
        let above = members.iter().filter_map(|member| {
            let side = &self.sides[member.side as usize];
            let at = side.tree.nodes.parent(member.at);
            let is_call = at != NodeId::NONE && self.name(at, side).is_some();
            is_call.then_some(Member { at, ..*member })
        });
        above.collect()
    }

    fn name(&self, node: NodeId, side: &FlameSide<'_>) -> Option<u32> {
        let row = side.profile.row_of(side.tree, node)?;
        Some(name_of(side, row))
    }

    /// A member for a node, with its own time.
    fn member(&self, node: NodeId, side: u32, part: Part) -> Member {
        let by_own_time =
            self.options.direction == FlameDirection::Up && self.options.focus.is_none();
        let (nodes, scale) = {
            let side = &self.sides[side as usize];
            (&side.tree.nodes, side.scale)
        };
        let time = match (part, by_own_time) {
            (Part::Finished, true) => nodes.exclusive(node, self.clock),
            (Part::Finished, false) => nodes.inclusive(node, self.clock),
            (Part::Unfinished, true) => nodes.own_unfinished(node, self.clock),
            (Part::Unfinished, false) => nodes.unfinished(node, self.clock),
        };
        Member {
            at: node,
            origin: node,
            side,
            part,
            w: time as f64 * scale,
        }
    }

    /// Groups members by name.
    fn gather(&self, members: Vec<Member>) -> Vec<Group> {
        let mut named = Vec::new();
        for member in members {
            let side = &self.sides[member.side as usize];
            if let Some(name) = self.name(member.at, side) {
                named.push((name, member));
            }
        }
        let named = sorted_by_group(named, self.names);
        let mut groups = Vec::new();
        for members in named.chunk_by(|(one, _), (next, _)| one == next) {
            let mut group = Group {
                name: members[0].0,
                part: members[0].1.part,
                members: Vec::with_capacity(members.len()),
                w: 0.0,
                base: 0.0,
                calls: 0,
            };
            for (_, member) in members {
                let side = &self.sides[member.side as usize];
                let calls = side.tree.nodes.calls(member.origin);
                group.w += member.w;
                group.base += if side.is_base { member.w } else { 0.0 };
                group.calls = group.calls.saturating_add(calls);
                group.members.push(*member);
            }
            groups.push(group);
        }
        groups
    }
}

fn name_of(side: &FlameSide<'_>, row: usize) -> u32 {
    let names = side.names.and_then(|names| names.get(row));
    names.copied().unwrap_or(row as u32)
}

/// One more than the largest name of a side.
fn most_names(side: &FlameSide<'_>) -> usize {
    let largest = side.names.and_then(|names| names.iter().max());
    match side.names {
        Some(_) => largest.map_or(0, |name| *name as usize + 1),
        None => side.profile.rows.len(),
    }
}
