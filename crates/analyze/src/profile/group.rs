//! Which functions count as one: by full name, by class, by package.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::tree::{CallTree, Function, FunctionId, NodeId};

/// What a row of a profile stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// A method (class, name and signature), or a slice's name.
    #[default]
    Method,
    /// A class.
    Class,
    /// A package.
    Package,
    /// A thread.
    Thread,
}

/// The group of each function, and the groups' names.
#[derive(Default)]
pub(crate) struct Groups {
    of_function: Vec<u32>,
    /// The groups' names, until rows take them over.
    pub(crate) names: Vec<Function>,
    count: usize,
}

impl Groups {
    pub(crate) fn new(functions: &[Function], by: GroupBy) -> Self {
        let mut group_of_name: FxHashMap<Function, u32> = FxHashMap::default();
        let mut names = Vec::new();
        let mut of_function = Vec::with_capacity(functions.len());
        for function in functions {
            let name = group_name(function, by);
            let group = *group_of_name.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() as u32 - 1
            });
            of_function.push(group);
        }
        Self {
            of_function,
            count: names.len(),
            names,
        }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The group of a node; `None` for a root.
    #[inline]
    pub(crate) fn of_node(&self, tree: &CallTree, node: NodeId) -> Option<u32> {
        match tree.nodes.function(node) {
            FunctionId::TOPLEVEL => None,
            function => self.of_function.get(function.0 as usize).copied(),
        }
    }

    /// The group of a function.
    pub(crate) fn of_function(&self, function: FunctionId) -> Option<u32> {
        self.of_function.get(function.0 as usize).copied()
    }

    /// Gives groups new numbers; `new[old]` is the new one.
    pub(crate) fn renumber(&mut self, new: &[u32]) {
        for group in &mut self.of_function {
            *group = new[*group as usize];
        }
        self.count += 1;
    }
}

fn group_name(function: &Function, by: GroupBy) -> Function {
    match by {
        GroupBy::Method | GroupBy::Thread => function.clone(),
        GroupBy::Class => Function::named(function.class_or_none()),
        GroupBy::Package => Function::named(function.package()),
    }
}

/// Sorts by group, and keeps the order within each. `groups` is more than any of them.
pub(crate) fn sorted_by_group<T: Copy>(mut items: Vec<(u32, T)>, groups: usize) -> Vec<(u32, T)> {
    if items.len() < groups.max(64) {
        items.sort_by_key(|(group, _)| *group);
        return items;
    }
    let mut next = vec![0usize; groups + 1];
    for (group, _) in &items {
        next[*group as usize + 1] += 1;
    }
    for group in 0..groups {
        next[group + 1] += next[group];
    }
    let mut sorted = items.clone();
    for item in items {
        let place = &mut next[item.0 as usize];
        sorted[*place] = item;
        *place += 1;
    }
    sorted
}

/// For each node: whether its group is open already when it is called.
pub(crate) fn recursive_nodes(tree: &CallTree, groups: &Groups) -> Vec<bool> {
    let mut marks = vec![false; tree.nodes.len()];
    walk(tree, groups, |node, _, recursive| {
        marks[node.row()] = recursive
    });
    marks
}

/// So many rows before its turn a path's counts are asked for.
const AHEAD: u32 = 16;

/// Visits every call path with its group, its caller's group (`None` for a thread), and whether
/// its own group is open already when it is called.
///
/// One walk over the rows, which stand in walking order; `open` counts the groups on the way from
/// the root to the row.
#[inline]
pub(crate) fn walk(
    tree: &CallTree,
    groups: &Groups,
    mut visit: impl FnMut(NodeId, (u32, Option<u32>), bool),
) {
    let mut open = vec![0u32; groups.len()];
    let mut path: Vec<(NodeId, u32)> = Vec::new();
    for thread in &tree.threads {
        for row in tree.rows_of(thread) {
            let node = NodeId(row as u32);
            tree.nodes.prefetch(NodeId(node.0.saturating_add(AHEAD)));
            while let Some((_, group)) = path.pop_if(|(end, _)| *end <= node) {
                open[group as usize] -= 1;
            }
            if let Some(group) = groups.of_node(tree, node) {
                let above = path.last().map(|(_, group)| *group);
                let count = &mut open[group as usize];
                visit(node, (group, above), *count > 0);
                *count += 1;
                path.push((tree.nodes.end(node), group));
            }
        }
    }
}
