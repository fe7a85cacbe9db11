//! The calling-context tree: each distinct call path once, with its cost.

mod arena;
mod clip;
mod counts;
mod edges;
mod events;
mod faults;
mod freeze;
mod from_samples;
mod from_trace;
mod function;
mod lane;
mod measure;
mod merge;
mod narrow;
mod nodes;
mod open_thread;
mod overhead;
mod passes;
mod plan;
mod sched;
mod settle;
mod stacks;
mod sums;
mod transform;
mod unfinished;
mod whole;

use traceloom_trace::{NO_NUMBER, RepairTable, SourceId, ThreadId, TrackType};

pub use clip::TimeRange;
pub use events::CallTreeBuilder;
pub use from_trace::TreeOptions;
pub use function::{Function, FunctionId, Origin};
pub use measure::{CpuSource, Measure, Sums, Times, TreeClocks};
pub use nodes::CallNodes;
pub use overhead::OverheadReport;
pub use transform::Transform;
pub use whole::WholeTree;

pub(crate) use measure::{add, take};
pub(crate) use sched::StatesByThread;

/// A node of a [`CallTree`]: a call path from the root of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The parent of a root.
    pub const NONE: Self = Self(u32::MAX);

    /// Its row in the columns.
    #[inline]
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

/// The calling-context tree of a trace: one root per thread, and below it one node per distinct
/// call path.
///
/// Nodes are in preorder, so a subtree is a range of rows:
///
/// ```text
/// main            row 0  end 4        children of row 0: row 1, then row end(1) = 3
///   a             row 1  end 3
///     b           row 2  end 3
///   c             row 3  end 4
/// ```
///
/// Slices that never ended have nodes of their own: a path has two nodes if only some of its slices ended.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    /// The functions, by [`FunctionId`]. Names may be changed before a profile is made.
    pub functions: Vec<Function>,
    /// The origin of each function; empty for a tree made without tables.
    pub origins: Vec<Origin>,
    /// The threads, and other tracks if requested, each with its root.
    pub threads: Vec<TreeThread>,
    /// The nodes.
    pub nodes: CallNodes,
    /// The available measures.
    pub clocks: TreeClocks,
    /// Repairs and losses.
    pub repairs: RepairTable,
    /// Records or slices that were counted.
    pub calls: u64,
    /// The events of the samples that were counted, in order of their names.
    pub sample_events: Vec<String>,
    /// Slices that belong to no thread and were left out.
    pub other_slices: u64,
    /// The cost of one clock reading while recording, ns, if the trace has it
    /// (`clock-call-overhead-nsec`).
    pub clock_overhead_ns: Option<i64>,
}

/// A thread of a [`CallTree`], or another track.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeThread {
    /// Its name; `thread N` if it has none.
    pub name: String,
    /// Its tid in the trace.
    pub tid: i64,
    /// The name of its process; may be empty.
    pub process: String,
    /// The pid of its process, or -1.
    pub pid: i64,
    /// Whether this is a thread or another track.
    pub kind: TrackType,
    /// Its row in the thread table; none for other tracks and for a tree made without tables.
    pub utid: ThreadId,
    /// The input that it came from; none for a tree made without tables.
    pub source: SourceId,
    /// Its root. Its time is that between the first and the last event in a method trace, else the
    /// sum of its outermost slices.
    pub root: NodeId,
    /// Its first event, ns on the trace's clock.
    pub first_ns: i64,
    /// Its last event.
    pub last_ns: i64,
}

impl TreeThread {
    /// Name and tid, so that threads with equal names can be told apart. Other tracks have no tid.
    pub fn label(&self) -> String {
        match self.tid {
            NO_NUMBER => self.name.clone(),
            tid if self.name == format!("thread {tid}") => self.name.clone(),
            tid => format!("{} ({tid})", self.name),
        }
    }
}

impl CallTree {
    /// The rows of a thread's tree, its root first.
    pub fn rows_of(&self, thread: &TreeThread) -> std::ops::Range<usize> {
        thread.root.row()..self.nodes.end(thread.root).row()
    }

    /// The function of a node; `None` for a root.
    pub fn function_of(&self, node: NodeId) -> Option<&Function> {
        self.functions.get(self.nodes.function(node).0 as usize)
    }

    /// Whether the numbers are samples of a profiler instead of times.
    pub fn counts_samples(&self) -> bool {
        self.clocks.cpu == CpuSource::Samples
    }

    /// Calls (or slices) of the remaining threads.
    pub fn calls_of_threads(&self) -> u64 {
        let rows = self.threads.iter().map(|thread| self.rows_of(thread).len());
        // Each root counts as one call.
        let roots = self.threads.len() as u64;
        if rows.sum::<usize>() == self.nodes.len() {
            // In memory order, which is much faster than by rows.
            return self.nodes.all_calls() - roots;
        }
        let mut calls = 0;
        for thread in &self.threads {
            for row in self.rows_of(thread) {
                calls += self.nodes.calls(NodeId(row as u32));
            }
        }
        calls - roots
    }

    /// Slices of the remaining threads that never ended.
    pub fn unfinished_slices(&self) -> u64 {
        if !self.nodes.has_unfinished() {
            return 0;
        }
        let rows = self.threads.iter().flat_map(|thread| self.rows_of(thread));
        let nodes = rows.map(|row| NodeId(row as u32));
        let unfinished = nodes.filter(|node| self.nodes.is_unfinished(*node));
        unfinished.map(|node| self.nodes.calls(node)).sum()
    }

    /// Whether the calls are of methods; otherwise they are named slices.
    pub fn has_methods(&self) -> bool {
        self.functions
            .iter()
            .any(|function| !function.signature.is_empty() || !function.class.is_empty())
    }

    /// Renames functions, for example obfuscated ones. Functions that then have equal names count
    /// as one.
    pub fn rename(&mut self, mut new_name: impl FnMut(&Function) -> Option<Function>) {
        for function in &mut self.functions {
            if let Some(renamed) = new_name(function) {
                *function = renamed;
            }
        }
    }

    /// Keeps only the threads that `wanted` accepts. The nodes of the others stay in the columns
    /// but are not used.
    pub fn keep_threads(&mut self, wanted: impl FnMut(&TreeThread) -> bool) {
        self.threads.retain(wanted);
    }
}
