//! Builds the tree from the slices of a trace: method calls and named slices.
//!
//! Several threads walk over the slices in order of time, each for some of the tracks. The trees of the tracks are then
//! merged in an order that does not depend on the number of threads.

use std::cmp::Reverse;
use std::sync::OnceLock;

use traceloom_trace::{MethodId, NO_DURATION, NO_NUMBER, RepairKind, RowId, StringId, Trace, sort};

use super::clip::TimeRange;
use super::function::{Function, Origin};
use super::lane::{Counted, Lane, Walk};
use super::measure::{CpuSource, TreeClocks};
use super::merge::merge;
pub(super) use super::plan::Plan;
use super::sched::StatesByThread;
use super::{CallTree, NodeId, TreeThread};
use crate::parallel;

/// The fewest slices per thread for which another thread is started.
const SLICES_A_THREAD: u64 = 200_000;

/// The parts of a trace that go into its tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeOptions {
    /// Slices are cut at the ends of this range. `None` is the whole trace.
    pub range: Option<TimeRange>,
    /// Whether to include tracks without a thread, such as async slices and interrupts. Each becomes a root. Calls of
    /// the kernel on a CPU are always included.
    pub all_tracks: bool,
}

impl CallTree {
    /// Builds the tree of the slices of a trace.
    ///
    /// CPU times come from the clocks of the threads if recorded, else from the scheduler. A method that never ended is
    /// closed at the last event of its thread. Any other slice that never ended has the inclusive time of the finished
    /// slices inside it. The rest, up to the end of the trace, is its [unfinished](super::CallNodes::unfinished) time.
    pub fn from_trace(trace: &Trace, options: &TreeOptions) -> Self {
        Self::of_tracks(trace, options, None)
    }

    /// Like [`from_trace`](Self::from_trace), but only for the tracks for which `wanted` is `true`, by row. Slices of
    /// other tracks do not count as left out.
    pub fn of_tracks(trace: &Trace, options: &TreeOptions, wanted: Option<&[bool]>) -> Self {
        let counts = Counts::new(trace, options, wanted);
        let parts = usual_parts(&counts);
        Self::in_parts(trace, options, &counts, parts)
    }

    /// The same for any number of parts.
    fn in_parts(trace: &Trace, options: &TreeOptions, counts: &Counts, parts: usize) -> Self {
        let plan = Plan::new(trace, options, &counts.is_in);
        Self::counted(&plan, counts, parts).0
    }

    /// The tree, and the track of each of its threads.
    pub(super) fn counted(plan: &Plan<'_>, counts: &Counts, parts: usize) -> (Self, Vec<Lane>) {
        let trace = plan.trace;
        let Counted {
            lanes,
            mut nodes,
            roots,
            calls,
        } = count(plan, counts, parts);
        let methods = trace.methods.len();
        let finished = plan.finished_keys();
        // Slices that never ended have the functions of those that did.
        let function_of = |key: u32| match key.checked_sub(finished) {
            Some(name) => methods as u32 + name,
            None => key,
        };
        let keys = nodes.renumber_functions(finished as usize, function_of);
        let (mut functions, mut origins) = (Vec::new(), Vec::new());
        for key in keys {
            let origin = match key as usize {
                key if key < methods => Origin::Method(MethodId::from_row(key)),
                key => Origin::Name(StringId((key - methods) as u32)),
            };
            functions.push(function(trace, origin));
            origins.push(origin);
        }
        let threads = lanes.iter().zip(roots);
        let threads = threads.map(|(lane, root)| describe(trace, lane, root));
        let tree = Self {
            functions,
            origins,
            threads: threads.collect(),
            nodes,
            clocks: clocks(trace, plan.thread_clocks, plan.states.is_some()),
            repairs: trace.repairs.clone(),
            calls,
            sample_events: Vec::new(),
            other_slices: counts.left_out,
            clock_overhead_ns: overhead_of(trace),
        };
        (tree, lanes)
    }
}

impl<'a> Plan<'a> {
    pub fn new(trace: &'a Trace, options: &TreeOptions, is_in: &[bool]) -> Self {
        let thread_clocks = with_thread_clocks(trace);
        let mut own = thread_clocks.iter().zip(is_in);
        let thread_clocks = own.any(|(has, is_in)| *has && *is_in);
        Self {
            trace,
            range: options.range,
            thread_clocks,
            source_ends: OnceLock::new(),
            states: if thread_clocks {
                None
            } else {
                StatesByThread::new(trace)
            },
            nodes_of: &[],
        }
    }
}

/// The number of slices of each track, and whether it goes into the tree.
pub(super) struct Counts {
    pub slices: Vec<u32>,
    pub is_in: Vec<bool>,
    pub left_out: u64,
}

impl Counts {
    pub fn new(trace: &Trace, options: &TreeOptions, wanted: Option<&[bool]>) -> Self {
        let tracks = trace.tracks.len();
        let mut slices = vec![0u32; tracks];
        for row in trace.slices.spans() {
            slices[trace.slices.track_id.get(row).row()] += 1;
        }
        Self::with_slices(trace, slices, options, wanted)
    }

    /// The same, with the number of slices of each track.
    pub fn with_slices(
        trace: &Trace,
        slices: Vec<u32>,
        options: &TreeOptions,
        wanted: Option<&[bool]>,
    ) -> Self {
        let tracks = slices.len();
        let mut counts = Self {
            slices,
            is_in: vec![false; tracks],
            left_out: 0,
        };
        for track in 0..tracks {
            let kind = trace.tracks.kind.get(track);
            if wanted.is_none_or(|wanted| wanted.get(track) == Some(&true)) {
                counts.is_in[track] = options.all_tracks || kind.is_profiled();
                if !counts.is_in[track] {
                    counts.left_out += u64::from(counts.slices[track]);
                }
            }
        }
        counts
    }

    /// Splits the tracks into `parts` parts with about the same number of slices.
    fn parts(&self, parts: usize) -> Vec<Vec<bool>> {
        let tracks = 0..self.slices.len();
        let mut tracks: Vec<usize> = tracks.filter(|&track| self.is_in[track]).collect();
        sort::by_key(&mut tracks, |&track| Reverse(self.slices[track]));
        let mut shared = vec![(0u64, vec![false; self.slices.len()]); parts];
        for track in tracks {
            if let Some((slices, part)) = shared.iter_mut().min_by_key(|(slices, _)| *slices) {
                part[track] = true;
                *slices += u64::from(self.slices[track]);
            }
        }
        shared.into_iter().map(|(_, part)| part).collect()
    }
}

pub(super) fn usual_parts(counts: &Counts) -> usize {
    let tracks = counts.is_in.iter().zip(&counts.slices);
    let own = tracks.filter(|(is_in, _)| **is_in);
    let slices: u64 = own.map(|(_, slices)| u64::from(*slices)).sum();
    parallel::thread_count()
        .min((slices / SLICES_A_THREAD) as usize)
        .max(1)
}

/// Counts the slices of each part on its own thread.
fn count(plan: &Plan<'_>, counts: &Counts, parts: usize) -> Counted {
    let mut counted = parallel::map(counts.parts(parts), &|part| Walk::count(plan, part));
    match counted.pop() {
        Some(only) if counted.is_empty() => only,
        last => merge(counted.into_iter().chain(last).collect()),
    }
}

/// For each track whether any of its slices was recorded with its thread's CPU clock.
pub(super) fn with_thread_clocks(trace: &Trace) -> Vec<bool> {
    let mut has = vec![false; trace.tracks.len()];
    if trace.slices.thread_ts.constant() != Some(NO_DURATION) {
        let slices = &trace.slices;
        for (track, ts) in slices.track_id.iter().zip(slices.thread_ts.iter()) {
            has[track.row()] |= ts != NO_DURATION;
        }
    }
    has
}

pub(super) fn clocks(trace: &Trace, thread_clocks: bool, states: bool) -> TreeClocks {
    let rebuilt = trace.repairs.count(RepairKind::RebuiltTime) > 0;
    TreeClocks {
        wall: !(rebuilt && thread_clocks),
        cpu: match (thread_clocks, states) {
            (true, _) => CpuSource::ThreadClock,
            (false, true) => CpuSource::Scheduler,
            (false, false) => CpuSource::None,
        },
        states,
    }
}

fn function(trace: &Trace, origin: Origin) -> Function {
    match origin {
        Origin::Name(name) => Function::named(trace.strings.get(name)),
        Origin::Method(method) => {
            let row = trace.methods.row(method.row());
            Function::method(
                row.raw_id,
                trace.strings.get(row.class),
                trace.strings.get(row.name),
                trace.strings.get(row.signature),
            )
        }
    }
}

/// The value in the key section. It holds only for its own source, so exactly one source must have
/// it.
fn overhead_of(trace: &Trace) -> Option<i64> {
    match trace.sources.len() {
        0 | 1 => trace
            .metadata("clock-call-overhead-nsec")?
            .trim_ascii()
            .parse()
            .ok(),
        _ => None,
    }
}

fn describe(trace: &Trace, lane: &Lane, root: NodeId) -> TreeThread {
    let (tracks, row) = (&trace.tracks, lane.track.row());
    let (utid, cpu, kind) = (
        tracks.utid.get(row),
        tracks.cpu.get(row),
        tracks.kind.get(row),
    );
    let own_name = trace.strings.get(tracks.name.get(row));
    let thread = utid.some();
    let upid = thread.map_or_else(
        || tracks.upid.get(row),
        |utid| trace.threads.upid.get(utid.row()),
    );
    let (process, pid) = match upid.some() {
        Some(upid) => {
            let name = trace.processes.name.get(upid.row());
            let pid = trace.processes.pid.get(upid.row());
            (trace.strings.get(name).to_owned(), pid)
        }
        None => (String::new(), NO_NUMBER),
    };
    let whose = match thread {
        Some(utid) => trace.thread_name(utid),
        None if cpu != NO_NUMBER => format!("cpu {cpu}"),
        None => String::new(),
    };
    let name = match (whose.as_str(), own_name) {
        ("", "") => kind.owner().name().to_owned(),
        ("", own) => own.to_owned(),
        (_, "") => whose,
        (_, own) => format!("{whose} {own}"),
    };
    TreeThread {
        name,
        tid: thread.map_or(NO_NUMBER, |utid| trace.threads.tid.get(utid.row())),
        process,
        pid,
        kind,
        utid,
        source: tracks.source.get(row),
        root,
        first_ns: lane.first.wall_ns,
        last_ns: lane.last.wall_ns,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use traceloom_trace::{SliceBegin, TraceBuilder};

    use super::*;
    use crate::tree::Measure;

    /// Threads that take turns. Each calls `a`, `b` and `c` in its own order, two levels deep.
    pub fn trace() -> Trace {
        let mut builder = TraceBuilder::new();
        let names = [b"a", b"b", b"c"].map(|name| builder.intern(name));
        let threads: Vec<_> = (1..=9).map(|tid| builder.thread(tid)).collect();
        let mut now = 0;
        for turn in 0..400usize {
            let thread = (turn * 5 + turn / 7) % 9;
            let track = builder.thread_track(threads[thread]);
            for level in 0..2 {
                now += 3 + turn as i64 % 5;
                let name = names[(turn / 9 + thread * level) % 3];
                builder.begin_slice(track, SliceBegin::named(now, name));
            }
            for _ in 0..2 - usize::from(turn > 390) {
                now += 4;
                builder.end_slice(track, now, None);
            }
        }
        builder.finish()
    }

    #[test]
    fn the_tree_is_the_same_in_any_number_of_parts() {
        let trace = trace();
        let range = TimeRange {
            from_ns: 700,
            to_ns: 3_000,
        };
        for range in [None, Some(range)] {
            let options = TreeOptions {
                range,
                all_tracks: false,
            };
            let counts = Counts::new(&trace, &options, None);
            let told = |parts: usize| {
                let tree = CallTree::in_parts(&trace, &options, &counts, parts);
                let rows = (0..tree.nodes.len() as u32).map(NodeId);
                let row = |node: NodeId| {
                    let nodes = &tree.nodes;
                    let (function, parent) = (nodes.function(node), nodes.parent(node));
                    let wall = nodes.inclusive(node, Measure::Wall);
                    (function, parent, nodes.end(node), nodes.calls(node), wall)
                };
                let rows: Vec<_> = rows.map(row).collect();
                (rows, tree.threads, tree.functions, tree.calls)
            };
            let alone = told(1);
            assert!(alone.0.len() > 30);
            for parts in [2, 3, 7, 20] {
                assert_eq!(told(parts), alone, "{parts} parts");
            }
        }
    }
}
