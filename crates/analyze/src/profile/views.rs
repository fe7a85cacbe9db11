//! The tree as it is shown: from the threads down, or from each method up to its callers.

use std::cmp::Reverse;
use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use traceloom_trace::sort;

use super::group::{GroupBy, sorted_by_group};
use super::rows::{Profile, not_negative, unfinished_of};
use crate::percent;
use crate::tree::{CallTree, Function, NodeId, Sums, Times, add};

/// The direction of a tree view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeDirection {
    /// Threads, their callees, the callees of those …; sorted by inclusive time.
    TopDown,
    /// Methods, their callers, the callers of those …; sorted by the exclusive time of the first.
    BottomUp,
}

/// The extent of a tree view.
#[derive(Clone, Copy, Debug)]
pub struct TreeViewOptions {
    /// The direction.
    pub direction: TreeDirection,
    /// Rows with less than this share of the total are left out, in percent.
    pub min_percent: f64,
    /// The number of rows shown below one row, and at the top.
    pub max_children: usize,
    /// The number of levels shown.
    pub max_depth: u32,
}

impl TreeViewOptions {
    /// Rows of at least one percent, 64 levels deep.
    pub fn new(direction: TreeDirection) -> Self {
        Self {
            direction,
            min_percent: 1.0,
            max_children: usize::MAX,
            max_depth: 64,
        }
    }
}

/// A tree view, flattened: each row is followed by the rows below it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TreeView {
    /// The direction.
    pub direction: TreeDirection,
    /// The total to which percentages refer.
    pub total: Times,
    /// The rows.
    pub rows: Vec<TreeViewRow>,
    /// Rows at the top that were left out.
    pub hidden: usize,
}

/// A row of a tree view.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TreeViewRow {
    /// 0 at the top.
    pub depth: u32,
    /// The method, or the thread.
    #[serde(flatten)]
    pub function: Function,
    /// Calls. Bottom-up: calls of the method at the top along this path.
    pub calls: u64,
    /// Inclusive time. Bottom-up: of the method at the top along this path, without calls that are
    /// within a call of itself.
    pub inclusive: Times,
    /// Exclusive time. Bottom-up: of the method at the top along this path.
    pub exclusive: Times,
    /// Time of slices that never ended, counted like inclusive time; `None` in a profile without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Times>,
    /// Rows directly below that were left out.
    pub hidden: usize,
}

/// A row that is not written yet, and its nodes.
struct Pending {
    depth: u32,
    group: Group,
    members: Vec<Member>,
    calls: u64,
    inclusive: Sums,
    exclusive: Sums,
    unfinished: Sums,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Row(usize),
    Thread(usize),
}

/// A node that the view has reached, and the node whose numbers are used (top-down: the same).
#[derive(Clone, Copy)]
struct Member {
    at: NodeId,
    origin: NodeId,
}

struct View<'a> {
    tree: &'a CallTree,
    profile: &'a Profile,
    options: TreeViewOptions,
    recursive: &'a [bool],
    thread_of_root: Vec<(NodeId, usize)>,
}

impl Profile {
    /// A view of the profiled tree, with the profile's grouping. Only rows that are shown are
    /// computed.
    pub fn tree_view(&self, tree: &CallTree, options: &TreeViewOptions) -> TreeView {
        let view = self.view(tree, options);
        view.build(view.top())
    }

    /// Calls `each` with the rows of [`tree_view`](Self::tree_view), one after the other, without
    /// keeping them: a deep tree has far more rows than call paths. Returns how many rows at the top
    /// were left out.
    ///
    /// # Errors
    /// The first error of `each`, which stops the walk.
    pub fn each_tree_row<E>(
        &self,
        tree: &CallTree,
        options: &TreeViewOptions,
        each: impl FnMut(TreeViewRow) -> Result<(), E>,
    ) -> Result<usize, E> {
        let view = self.view(tree, options);
        view.walk(view.top(), each)
    }

    /// The rows below one row of [`tree_view`](Self::tree_view). `path` leads to that row: it has
    /// the place of each row on the way, from the top, among all of its siblings (those that are
    /// not shown come last). `max_depth` counts from there. `None` if there is no such row.
    pub fn tree_below(
        &self,
        tree: &CallTree,
        options: &TreeViewOptions,
        path: &[usize],
    ) -> Option<TreeView> {
        let levels = path.len() as u32;
        let view = self.view(
            tree,
            &TreeViewOptions {
                max_depth: options.max_depth.saturating_add(levels),
                ..*options
            },
        );
        let mut rows = view.top();
        for &place in path {
            view.sort(&mut rows);
            rows = view.below(rows.get(place)?);
        }
        Some(view.build(rows))
    }

    fn view<'a>(&'a self, tree: &'a CallTree, options: &TreeViewOptions) -> View<'a> {
        let mut thread_of_root = Vec::new();
        for (thread, nth) in tree.threads.iter().zip(0..) {
            thread_of_root.push((thread.root, nth));
        }
        sort::by_key(&mut thread_of_root, |one| *one);
        let max_depth = match self.by {
            GroupBy::Thread => 1,
            _ => options.max_depth,
        };
        View {
            tree,
            profile: self,
            options: TreeViewOptions {
                max_depth,
                ..*options
            },
            recursive: self.recursive_nodes(tree),
            thread_of_root,
        }
    }
}

impl View<'_> {
    fn build(&self, top: Vec<Pending>) -> TreeView {
        let mut rows = Vec::new();
        let Ok(hidden) = self.walk(top, |row| {
            rows.push(row);
            Ok::<(), Infallible>(())
        });
        TreeView {
            direction: self.options.direction,
            total: self.profile.total,
            rows,
            hidden,
        }
    }

    fn walk<E>(
        &self,
        top: Vec<Pending>,
        mut each: impl FnMut(TreeViewRow) -> Result<(), E>,
    ) -> Result<usize, E> {
        let (mut stack, hidden) = self.cut(top);
        while let Some(pending) = stack.pop() {
            let (below, hidden) = if pending.depth + 1 < self.options.max_depth {
                self.cut(self.below(&pending))
            } else {
                (Vec::new(), usize::from(self.has_below(&pending)))
            };
            each(self.row(&pending, hidden))?;
            stack.extend(below);
        }
        Ok(hidden)
    }

    fn row(&self, pending: &Pending, hidden: usize) -> TreeViewRow {
        let clocks = self.profile.clocks;
        TreeViewRow {
            depth: pending.depth,
            function: match pending.group {
                Group::Row(row) => self.profile.rows[row].function.clone(),
                Group::Thread(thread) => Function::named(self.tree.threads[thread].label()),
            },
            calls: pending.calls,
            inclusive: clocks.times(&pending.inclusive),
            exclusive: clocks.times(&pending.exclusive),
            unfinished: self.profile.unfinished.map(|_| {
                let times = not_negative(pending.unfinished);
                clocks.times(&times)
            }),
            hidden,
        }
    }

    fn top(&self) -> Vec<Pending> {
        let mut reached = Vec::new();
        for (thread, nth) in self.tree.threads.iter().zip(0..) {
            match self.options.direction {
                TreeDirection::TopDown => {
                    reached.push((self.thread(nth), Member::same(thread.root)));
                }
                TreeDirection::BottomUp => {
                    for row in self.tree.rows_of(thread) {
                        let node = NodeId(row as u32);
                        if let Some(group) = self.profile.row_of(self.tree, node) {
                            reached.push((group as u32, Member::same(node)));
                        }
                    }
                }
            }
        }
        self.gather(0, reached)
    }

    fn below(&self, pending: &Pending) -> Vec<Pending> {
        let nodes = &self.tree.nodes;
        let mut reached = Vec::new();
        for member in &pending.members {
            match self.options.direction {
                TreeDirection::TopDown => {
                    for child in nodes.children(member.at) {
                        reached.push((self.group_of(child), Member::same(child)));
                    }
                }
                TreeDirection::BottomUp => {
                    let (at, origin) = (nodes.parent(member.at), member.origin);
                    if at != NodeId::NONE {
                        reached.push((self.group_of(at), Member { at, origin }));
                    }
                }
            }
        }
        self.gather(pending.depth + 1, reached)
    }

    fn has_below(&self, pending: &Pending) -> bool {
        pending
            .members
            .iter()
            .any(|member| match self.options.direction {
                TreeDirection::TopDown => self.tree.nodes.children(member.at).next().is_some(),
                TreeDirection::BottomUp => self.tree.nodes.parent(member.at) != NodeId::NONE,
            })
    }

    /// The number of a thread among the groups: threads follow the rows.
    fn thread(&self, nth: usize) -> u32 {
        (self.profile.rows.len() + nth) as u32
    }

    fn group(&self, number: u32) -> Group {
        match (number as usize).checked_sub(self.profile.rows.len()) {
            None => Group::Row(number as usize),
            Some(thread) => Group::Thread(thread),
        }
    }

    fn group_of(&self, node: NodeId) -> u32 {
        match self.profile.row_of(self.tree, node) {
            Some(row) => row as u32,
            None => {
                let found = self
                    .thread_of_root
                    .binary_search_by_key(&node, |(root, _)| *root);
                self.thread(found.map_or(0, |at| self.thread_of_root[at].1))
            }
        }
    }

    /// One row for each group that was reached.
    fn gather(&self, depth: u32, reached: Vec<(u32, Member)>) -> Vec<Pending> {
        let groups = self.profile.rows.len() + self.tree.threads.len();
        let reached = sorted_by_group(reached, groups);
        let mut rows = Vec::new();
        for group in reached.chunk_by(|(one, _), (next, _)| one == next) {
            let mut pending = Pending {
                depth,
                group: self.group(group[0].0),
                members: Vec::with_capacity(group.len()),
                calls: 0,
                inclusive: Sums::default(),
                exclusive: Sums::default(),
                unfinished: Sums::default(),
            };
            for (_, member) in group {
                self.count(&mut pending, *member);
            }
            rows.push(pending);
        }
        rows
    }

    fn count(&self, pending: &mut Pending, member: Member) {
        let (nodes, origin) = (&self.tree.nodes, member.origin);
        let top_down = self.options.direction == TreeDirection::TopDown;
        pending.calls += nodes.calls(origin);
        add(&mut pending.exclusive, &nodes.exclusive_sums(origin));
        if top_down || !self.recursive[origin.row()] {
            add(&mut pending.inclusive, &nodes.inclusive_sums(origin));
            add(&mut pending.unfinished, &unfinished_of(self.tree, origin));
        }
        pending.members.push(member);
    }

    /// The rows to show, the last of them first (they are pushed onto a stack), and the number of
    /// the others.
    fn cut(&self, mut rows: Vec<Pending>) -> (Vec<Pending>, usize) {
        let count = rows.len();
        let total = self.profile.total.get(self.profile.clock);
        let clock = self.profile.clock as usize;
        rows.retain(|row| {
            // A row that has little time except unfinished time is also shown.
            let most = self.weight(row).max(row.unfinished[clock]);
            percent(most, total) >= self.options.min_percent
        });
        self.sort(&mut rows);
        rows.truncate(self.options.max_children);
        let hidden = count - rows.len();
        rows.reverse();
        (rows, hidden)
    }

    /// The value by which rows are ordered, the largest first.
    fn weight(&self, row: &Pending) -> i64 {
        let clock = self.profile.clock as usize;
        match self.options.direction {
            TreeDirection::TopDown => row.inclusive[clock],
            TreeDirection::BottomUp => row.exclusive[clock],
        }
    }

    fn sort(&self, rows: &mut [Pending]) {
        sort::by_key(rows, |row| (Reverse(self.weight(row)), row.group));
    }
}

impl Member {
    fn same(node: NodeId) -> Self {
        Self {
            at: node,
            origin: node,
        }
    }
}
