//! Groups functions: by full name, class, package or thread.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traceloom_trace::sort;

use crate::tree::{CallTree, Function, FunctionId, NodeId};

/// The grouping of a profile's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Methods (class, name and signature), or slice names.
    #[default]
    Method,
    /// Classes.
    Class,
    /// Packages.
    Package,
    /// Threads.
    Thread,
}

/// The group of each function, and the names of the groups.
#[derive(Default)]
pub(crate) struct Groups {
    of_function: Vec<u32>,
    /// The names of the groups; the rows take them over.
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

    /// The number of groups.
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

    /// Renumbers groups; `new[old]` is the new number.
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

/// Sorts stably by group. Every group number is below `groups`.
pub(crate) fn sorted_by_group<T: Copy>(mut items: Vec<(u32, T)>, groups: usize) -> Vec<(u32, T)> {
    if items.len() < groups.max(64) {
        sort::by_key(&mut items, |(group, _)| *group);
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

/// For each node: whether its group is already open when it is called.
pub(crate) fn recursive_nodes(tree: &CallTree, groups: &Groups) -> Vec<bool> {
    let mut marks = vec![false; tree.nodes.len()];
    walk(tree, groups, |node, _, recursive| {
        marks[node.row()] = recursive
    });
    marks
}

/// Visits every call path with its group, its caller's group (`None` for a thread), and whether its
/// own group is already open when it is called.
///
/// This is one pass over the rows, which are in preorder. `open` counts the groups on the path from
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
