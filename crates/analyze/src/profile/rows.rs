//! The rows of a profile: calls and times of each method, class, package or thread.

use std::cmp::Reverse;
use std::sync::OnceLock;

use serde::Serialize;
use traceloom_trace::sort;

use super::group::{GroupBy, Groups, recursive_nodes, walk};
use super::repairs::{RepairNote, notes};
use crate::percent;
use crate::tree::{
    CallTree, Function, FunctionId, Measure, NodeId, Sums, Times, TreeClocks, add, take,
};

/// Options for a profile.
#[derive(Clone, Copy, Debug)]
pub struct ProfileOptions {
    /// The grouping of rows.
    pub by: GroupBy,
    /// The clock that ranks the rows.
    pub clock: Measure,
}

impl ProfileOptions {
    /// Methods, ranked by the [default clock](crate::TreeClocks::usual).
    pub fn for_tree(tree: &CallTree) -> Self {
        Self {
            by: GroupBy::Method,
            clock: tree.clocks.usual(),
        }
    }
}

/// A profile: one row per method, class, package or thread, ranked by inclusive time.
#[derive(Serialize)]
pub struct Profile {
    /// The grouping of rows.
    pub by: GroupBy,
    /// The available measures.
    pub clocks: TreeClocks,
    /// The totals over all threads, to which percentages refer.
    pub total: Times,
    /// Time of the threads outside of any call.
    pub outside: Times,
    /// The unfinished time of all threads, which is not in the totals; `None` if every slice ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Times>,
    /// The rows, by rank.
    pub rows: Vec<ProfileRow>,
    /// The repairs of the trace from which the numbers were computed.
    pub repairs: Vec<RepairNote>,
    #[serde(skip)]
    pub(crate) groups: Groups,
    #[serde(skip)]
    pub(crate) clock: Measure,
    #[serde(skip)]
    recursive: OnceLock<Vec<bool>>,
}

/// The calls and times of one method.
///
/// Inclusive time counts outermost activations only: time in which the method calls itself counts
/// once. Exclusive time counts every activation.
///
/// A slice that never ended counts as a call, and its inclusive time is that of the finished slices inside it. The rest
/// of its time is unfinished time, also of outermost activations only. Calls of methods are different: those that
/// never ended are closed at the last event of their thread.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProfileRow {
    /// Place by inclusive time, from 1.
    pub rank: u32,
    /// The method; for classes, packages and threads only `name` is set.
    #[serde(flatten)]
    pub function: Function,
    /// Calls while the method was not already open.
    pub calls: u64,
    /// Calls while the method was already open.
    pub recursive_calls: u64,
    /// Time with callees.
    pub inclusive: Times,
    /// Time without callees.
    pub exclusive: Times,
    /// Time of slices that never ended; `None` in a profile without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Times>,
}

impl ProfileRow {
    /// Calls of both kinds.
    pub fn all_calls(&self) -> u64 {
        self.calls.saturating_add(self.recursive_calls)
    }

    /// Inclusive time per call, ns. As in Traceview, it is divided by the calls of both kinds.
    pub fn time_per_call_ns(&self, measure: Measure) -> Option<f64> {
        let time = self.inclusive.get(measure)?;
        Some(time as f64 / self.all_calls().max(1) as f64)
    }
}

/// The sums of a row.
#[derive(Clone, Copy, Default)]
struct Sum {
    used: bool,
    calls: u64,
    recursive_calls: u64,
    inclusive: Sums,
    exclusive: Sums,
    unfinished: Sums,
}

impl Profile {
    /// Adds up a tree. Takes time and memory linear in the tree's nodes.
    pub fn new(tree: &CallTree, options: &ProfileOptions) -> Self {
        let mut groups = match options.by {
            GroupBy::Thread => Groups::default(),
            by => Groups::new(&tree.functions, by),
        };
        let (mut total, mut outside) = (Sums::default(), Sums::default());
        let mut unfinished = Sums::default();
        for thread in &tree.threads {
            add(&mut total, &tree.nodes.inclusive_sums(thread.root));
            add(&mut outside, &tree.nodes.exclusive_sums(thread.root));
            add(&mut unfinished, &unfinished_of(tree, thread.root));
        }
        let (names, sums) = match options.by {
            GroupBy::Thread => sum_threads(tree),
            _ => {
                let sums = if tree.clocks.states {
                    sum_groups::<{ Measure::COUNT }>(tree, &groups)
                } else {
                    sum_groups::<2>(tree, &groups)
                };
                (std::mem::take(&mut groups.names), sums)
            }
        };
        let is_open = |sum: &Sum| sum.unfinished.iter().any(|time| *time > 0);
        let unfinished = sums.iter().any(is_open).then_some(unfinished);
        let ranking = Ranking {
            clocks: tree.clocks,
            clock: options.clock,
            has_unfinished: unfinished.is_some(),
        };
        let (rows, new_numbers) = rank(names, &sums, ranking);
        groups.renumber(&new_numbers);
        Self {
            by: options.by,
            clocks: tree.clocks,
            total: tree.clocks.times(&total),
            outside: tree.clocks.times(&outside),
            unfinished: unfinished.map(|sums| tree.clocks.times(&not_negative(sums))),
            rows,
            groups,
            repairs: notes(&tree.repairs),
            clock: options.clock,
            recursive: OnceLock::new(),
        }
    }

    /// For each node of the profiled tree: whether its row is already open when it is called.
    /// Computed at the first call.
    pub(crate) fn recursive_nodes(&self, tree: &CallTree) -> &[bool] {
        self.recursive
            .get_or_init(|| recursive_nodes(tree, &self.groups))
    }

    /// The clock that ranks the rows.
    pub fn clock(&self) -> Measure {
        self.clock
    }

    /// A time in percent of the total on the same clock.
    pub fn percent(&self, time: &Times, measure: Measure) -> f64 {
        percent(time.get(measure), self.total.get(measure))
    }

    /// The row of a tree's node; `None` for a root, and in a profile of threads. The tree must be
    /// the profiled one.
    #[inline]
    pub fn row_of(&self, tree: &CallTree, node: NodeId) -> Option<usize> {
        self.groups.of_node(tree, node).map(|group| group as usize)
    }

    /// The row to which a function of the tree belongs. `None` in a profile of threads, and for a
    /// function that is never called.
    pub fn row_of_function(&self, function: FunctionId) -> Option<usize> {
        let row = self.groups.of_function(function)? as usize;
        (row < self.rows.len()).then_some(row)
    }

    /// The rows that match `query`, by rank: those with this name (with or without signature), else
    /// those whose name contains it. Capital letters match only themselves; a query without any
    /// ignores case.
    pub fn find(&self, query: &str) -> Vec<usize> {
        let exact = |row: &ProfileRow| {
            let (label, signature) = (row.function.label(), &row.function.signature);
            query == label
                || query == format!("{label}{signature}")
                || query == format!("{label} {signature}")
        };
        let smart = !query.chars().any(char::is_uppercase);
        let contains = |row: &ProfileRow| {
            let label = format!("{} {}", row.function.label(), row.function.signature);
            if smart {
                label.to_lowercase().contains(query)
            } else {
                label.contains(query)
            }
        };
        let found = self.matching(&exact);
        if found.is_empty() {
            self.matching(&contains)
        } else {
            found
        }
    }

    fn matching(&self, wanted: &dyn Fn(&ProfileRow) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        for (row, at) in self.rows.iter().zip(0..) {
            if wanted(row) {
                found.push(at);
            }
        }
        found
    }
}

/// The unfinished times of a node; 0 if all slices ended.
pub(super) fn unfinished_of(tree: &CallTree, node: NodeId) -> Sums {
    let times = tree.nodes.unfinished_sums(node);
    times.copied().unwrap_or_default()
}

/// Clamps negative sums, which occur where a clock stepped back, to 0.
pub(super) fn not_negative(sums: Sums) -> Sums {
    sums.map(|time| time.max(0))
}

/// Adds up each group in one walk; see [`walk`] for what is recursive. A path's inclusive time is
/// added to the exclusive time of its own group, and subtracted from that of its caller's group.
///
/// `N` is the number of measures: without thread states, the first two.
fn sum_groups<const N: usize>(tree: &CallTree, groups: &Groups) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); groups.len()];
    walk(tree, groups, |node, (group, above), recursive| {
        let times = tree.nodes.inclusive_sums(node);
        let sum = &mut sums[group as usize];
        sum.used = true;
        let times = &times[..N];
        add(&mut sum.exclusive[..N], times);
        if recursive {
            sum.recursive_calls += tree.nodes.calls(node);
        } else {
            sum.calls += tree.nodes.calls(node);
            add(&mut sum.inclusive[..N], times);
        }
        if let Some(above) = above {
            take(&mut sums[above as usize].exclusive[..N], times);
        }
        if let Some(unfinished) = tree.nodes.unfinished_sums(node) {
            if !recursive {
                add(&mut sums[group as usize].unfinished, unfinished);
            }
            // If the caller ended, its time includes the unfinished time.
            let is_inside = tree
                .nodes
                .unfinished_sums(tree.nodes.parent(node))
                .is_none();
            if let Some(above) = above.filter(|_| is_inside) {
                take(&mut sums[above as usize].exclusive[..N], &unfinished[..N]);
            }
        }
    });
    // Where a clock stepped back, callees can have more time than their callers.
    for sum in &mut sums {
        sum.exclusive = not_negative(sum.exclusive);
        sum.unfinished = not_negative(sum.unfinished);
    }
    sums
}

/// A row for each thread: its calls, its time, and its time outside of any call.
fn sum_threads(tree: &CallTree) -> (Vec<Function>, Vec<Sum>) {
    let (mut names, mut sums) = (Vec::new(), Vec::new());
    for thread in &tree.threads {
        let mut calls = 0;
        for row in tree.rows_of(thread).skip(1) {
            calls += tree.nodes.calls(NodeId(row as u32));
        }
        names.push(Function::named(thread.label()));
        sums.push(Sum {
            used: true,
            calls,
            recursive_calls: 0,
            inclusive: tree.nodes.inclusive_sums(thread.root),
            exclusive: tree.nodes.exclusive_sums(thread.root),
            unfinished: not_negative(unfinished_of(tree, thread.root)),
        });
    }
    (names, sums)
}

/// What the rows are ranked by, and which times they have.
#[derive(Clone, Copy)]
struct Ranking {
    clocks: TreeClocks,
    clock: Measure,
    has_unfinished: bool,
}

/// The rows by inclusive time, largest first, equal ones by name; and the place of each old number.
/// Rows without calls are left out; their place is the one after the last row.
fn rank(
    names: Vec<Function>,
    sums: &[Sum],
    Ranking {
        clocks,
        clock,
        has_unfinished,
    }: Ranking,
) -> (Vec<ProfileRow>, Vec<u32>) {
    let mut order = Vec::new();
    for (sum, at) in sums.iter().zip(0..) {
        if sum.used {
            order.push(at);
        }
    }
    sort::by(&mut order, |&a: &u32, &b: &u32| {
        let time = |at: u32| Reverse(sums[at as usize].inclusive[clock as usize]);
        let name = |at: u32| &names[at as usize];
        (time(a), name(a)).cmp(&(time(b), name(b)))
    });
    let mut new_numbers = vec![order.len() as u32; sums.len()];
    let mut rows = Vec::with_capacity(order.len());
    for (place, &old) in order.iter().enumerate() {
        new_numbers[old as usize] = place as u32;
        let sum = &sums[old as usize];
        rows.push(ProfileRow {
            rank: place as u32 + 1,
            function: names[old as usize].clone(),
            calls: sum.calls,
            recursive_calls: sum.recursive_calls,
            inclusive: clocks.times(&sum.inclusive),
            exclusive: clocks.times(&sum.exclusive),
            unfinished: has_unfinished.then(|| clocks.times(&sum.unfinished)),
        });
    }
    (rows, new_numbers)
}
