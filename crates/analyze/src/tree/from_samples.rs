//! Builds the tree from the samples of a profiler. Its nodes have numbers of samples in place of
//! CPU times.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgValue, IdKind, NO_NUMBER, NO_TIME, Place, RepairKind, RowId, SourceId, StringId, ThreadId,
    Trace, TrackType,
};

use super::arena::{Arena, NONE};
use super::clip::TimeRange;
use super::freeze::{ROOT_KEY, Span, freeze};
use super::measure::{CpuSource, TreeClocks};
use super::stacks::Stacks;
use super::{CallTree, NodeId, TreeThread};
use crate::record_tables::{RecordTables, SAMPLES};

/// Memory that the tree may take regardless of the trace. Beyond it, the tree may take as much as the trace: threads
/// that share a deep stack need nodes of their own, so that a small trace could need a huge tree.
const FREE_BYTES: usize = 24 << 20;

impl CallTree {
    /// Builds the tree of a trace's samples in a range, from the outermost function of each stack to the innermost.
    ///
    /// A frame with inlined functions has a node for each of them. A sample without a stack counts
    /// for the root of its thread. A thread without samples in the range has a root, too.
    ///
    /// A frame is named by the first of these that it has: its name before obfuscation, its
    /// symbols, its name, its address in the file.
    ///
    /// With `event`, only samples of that event count. [`RecordTables::sample_events`] lists the
    /// events.
    pub fn from_samples(trace: &Trace, range: Option<TimeRange>, event: Option<&str>) -> Self {
        let mut count = Count::new(trace);
        let tables = RecordTables::new(trace);
        for &sample in tables.of(trace, SAMPLES) {
            let own = RecordTables::event_of_sample(trace, sample);
            if event.is_some_and(|event| event != own) {
                continue;
            }
            let ts = trace.records.rows().ts.get(sample as usize);
            let is_in = |range: TimeRange| ts != NO_TIME && range.contains(ts);
            let root = count.root(sample, ts);
            if range.is_none_or(is_in) {
                count.add(sample, root);
                count.events.insert(own);
            }
        }
        count.finish()
    }
}

/// A thread that has samples.
struct Sampled {
    root: u32,
    first_ns: i64,
    last_ns: i64,
}

/// The tree while samples are counted.
struct Count<'a> {
    trace: &'a Trace,
    stacks: Stacks<'a>,
    callsite_id: Option<StringId>,
    arena: Arena,
    /// The number of samples of each node of the arena, without those of the functions that it called.
    own: Vec<u64>,
    threads: FxHashMap<Option<ThreadId>, Sampled>,
    /// The node of each callsite below the root of a thread.
    nodes: FxHashMap<(u32, u32), u32>,
    most_bytes: usize,
    events: BTreeSet<&'a str>,
    /// Samples whose stacks were cut because the tree takes too much memory. They count for their
    /// thread; the first of them also for the callers that fit.
    beyond: u64,
    samples: u64,
}

impl<'a> Count<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            stacks: Stacks::new(trace),
            callsite_id: trace.strings.lookup("callsite_id"),
            arena: Arena::default(),
            own: Vec::new(),
            threads: FxHashMap::default(),
            nodes: FxHashMap::default(),
            most_bytes: FREE_BYTES.saturating_add(trace.heap_bytes()),
            events: BTreeSet::new(),
            beyond: 0,
            samples: 0,
        }
    }

    /// The root of a sample's thread.
    fn root(&mut self, sample: u32, ts: i64) -> u32 {
        let thread = RecordTables::thread_of_sample(self.trace, sample);
        let thread = thread.filter(|thread| thread.row() < self.trace.threads.len());
        let arena = &mut self.arena;
        let own = self.threads.entry(thread).or_insert_with(|| Sampled {
            root: arena.root(ROOT_KEY),
            first_ns: ts,
            last_ns: ts,
        });
        (own.first_ns, own.last_ns) = (own.first_ns.min(ts), own.last_ns.max(ts));
        own.root
    }

    fn add(&mut self, sample: u32, root: u32) {
        self.samples += 1;
        let cell = |name| self.trace.records.cell(sample as usize, name);
        let node = match self.callsite_id.and_then(cell) {
            Some(ArgValue::Row(IdKind::Record, callsite)) => self.node(root, callsite),
            _ => root,
        };
        self.own.resize(self.arena.len(), 0);
        self.own[node as usize] += 1;
    }

    /// Finds or adds the node of a callsite's innermost function.
    fn node(&mut self, root: u32, callsite: u32) -> u32 {
        if self.is_full() {
            // Avoids a walk up the stack for each sample.
            let known = self.nodes.get(&(root, callsite)).copied();
            self.beyond += u64::from(known.is_none());
            return known.unwrap_or(root);
        }
        let mut missing = Vec::new();
        let (mut at, mut node) = (Some(callsite), root);
        while let Some(callsite) = at {
            if let Some(known) = self.nodes.get(&(root, callsite)) {
                node = *known;
                break;
            }
            missing.push(callsite);
            at = self.stacks.caller(callsite);
        }
        for callsite in missing.into_iter().rev() {
            if self.is_full() {
                self.beyond += 1;
                break;
            }
            for function in self.stacks.functions(callsite) {
                node = self.arena.child(node, *function);
            }
            self.nodes.insert((root, callsite), node);
        }
        node
    }

    fn is_full(&self) -> bool {
        let places = self.nodes.capacity() * size_of::<((u32, u32), u32)>();
        self.arena.peak_bytes() + places > self.most_bytes
    }

    fn finish(mut self) -> CallTree {
        self.own.resize(self.arena.len(), 0);
        self.sum_up();
        let mut threads: Vec<(TreeThread, Sampled)> = Vec::new();
        for (utid, sampled) in std::mem::take(&mut self.threads) {
            threads.push((describe(self.trace, utid, &sampled), sampled));
        }
        // Unknown threads come last.
        threads.sort_by_key(|(thread, _)| thread.utid);
        let samples = |root: u32| Span::Measured(0, self.own[root as usize] as i64);
        let roots = threads.iter().map(|(_, own)| (own.root, samples(own.root)));
        let (nodes, rows) = freeze(self.arena, &roots.collect::<Vec<_>>(), None);
        let rooted = threads.into_iter().zip(rows);
        let mut repairs = self.trace.repairs.clone();
        let (kind, place) = (RepairKind::BeyondLimit, Place::default());
        let events = self.events.into_iter().filter(|event| !event.is_empty());
        let events = events.map(str::to_owned).collect();
        let detail = || "inner functions of samples, because the tree takes too much memory".into();
        repairs.add(SourceId(0), kind, self.beyond, place, detail);
        CallTree {
            functions: self.stacks.into_functions(),
            threads: rooted
                .map(|((thread, _), root)| TreeThread { root, ..thread })
                .collect(),
            nodes,
            clocks: TreeClocks {
                wall: false,
                cpu: CpuSource::Samples,
                states: false,
            },
            repairs,
            sample_events: events,
            calls: self.samples,
            ..CallTree::default()
        }
    }

    /// Adds the samples of each node to those of its callers, which have smaller numbers.
    fn sum_up(&mut self) {
        for node in (0..self.own.len()).rev() {
            let samples = self.own[node];
            let parent = self.arena.parent(node as u32);
            if parent != NONE {
                self.own[parent as usize] += samples;
            }
            let times = [0, samples as i64];
            self.arena.counts_mut().set(node as u32, times, samples);
        }
    }
}

fn describe(trace: &Trace, utid: Option<ThreadId>, sampled: &Sampled) -> TreeThread {
    let thread = utid.map(|utid| trace.threads.row(utid.row()));
    let process = thread.and_then(|row| row.upid.some());
    let process = process.map(|upid| trace.processes.row(upid.row()));
    TreeThread {
        name: utid.map_or_else(|| "unknown thread".into(), |utid| trace.thread_name(utid)),
        tid: thread.map_or(NO_NUMBER, |row| row.tid),
        process: process.map_or_else(String::new, |row| trace.strings.get(row.name).to_owned()),
        pid: process.map_or(NO_NUMBER, |row| row.pid),
        kind: TrackType::ThreadExecution,
        utid: utid.unwrap_or(ThreadId::NONE),
        source: SourceId::NONE,
        root: NodeId::NONE,
        first_ns: sampled.first_ns,
        last_ns: sampled.last_ns,
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{RecordId, TraceBuilder};

    use super::*;
    use crate::tree::Measure;

    /// Adds the row of a function without symbols, and that of a callsite with it.
    fn callsite(builder: &mut TraceBuilder, name: &[u8], caller: Option<RecordId>) -> RecordId {
        let name = ArgValue::Text(builder.intern(name));
        let frame = builder.record(NO_TIME, "stack_profile_frame", &[("name", name)]);
        let caller = caller.map(|caller| ("parent_id", caller.into()));
        let cells: Vec<_> = caller
            .into_iter()
            .chain([("frame_id", frame.into())])
            .collect();
        builder.record(NO_TIME, "stack_profile_callsite", &cells)
    }

    fn sample(builder: &mut TraceBuilder, ts: i64, tid: i64, callsite: RecordId) {
        let utid = builder.thread(tid);
        let task = builder.record(NO_TIME, "tasks", &[("utid", utid.into())]);
        let cells = [
            ("task_context_id", task.into()),
            ("callsite_id", callsite.into()),
        ];
        builder.record(ts, SAMPLES, &cells);
    }

    /// The path, the inclusive samples and the exclusive samples of each node.
    fn counts(tree: &CallTree) -> Vec<(String, i64, i64)> {
        let nodes = (0..tree.nodes.len() as u32).map(NodeId);
        let count = |node: NodeId| {
            let mut path = String::new();
            let mut at = node;
            while let Some(function) = tree.function_of(at) {
                path = format!("/{}{path}", function.name);
                at = tree.nodes.parent(at);
            }
            let cpu = Measure::Cpu;
            (
                path,
                tree.nodes.inclusive(node, cpu),
                tree.nodes.exclusive(node, cpu),
            )
        };
        nodes.map(count).collect()
    }

    #[test]
    fn samples_count_for_all_their_functions() {
        let mut builder = TraceBuilder::new();
        let outer = callsite(&mut builder, b"outer", None);
        let inner = callsite(&mut builder, b"inner", Some(outer));
        for (ts, tid, callsite) in [(1, 7, inner), (2, 7, outer), (3, 8, inner), (4, 7, inner)] {
            sample(&mut builder, ts, tid, callsite);
        }
        builder.record(5, SAMPLES, &[]);
        let trace = builder.finish();
        let path = |path: &str, inclusive, exclusive| (path.to_owned(), inclusive, exclusive);
        let tree = CallTree::from_samples(&trace, None, None);
        let expected = [
            path("", 3, 0),
            path("/outer", 3, 1),
            path("/outer/inner", 2, 2),
            path("", 1, 0),
            path("/outer", 1, 0),
            path("/outer/inner", 1, 1),
            path("", 1, 1),
        ];
        assert_eq!(counts(&tree), expected);
        let tids: Vec<i64> = tree.threads.iter().map(|thread| thread.tid).collect();
        assert_eq!(tids, [7, 8, NO_NUMBER]);
        let range = TimeRange {
            from_ns: 2,
            to_ns: 3,
        };
        let tree = CallTree::from_samples(&trace, Some(range), None);
        let without = path("", 0, 0);
        let expected = [
            path("", 1, 0),
            path("/outer", 1, 1),
            without.clone(),
            without,
        ];
        assert_eq!(counts(&tree), expected);
    }

    /// The first symbol of a set is the innermost function.
    #[test]
    fn inlined_functions_have_nodes() {
        let mut builder = TraceBuilder::new();
        let names = [&b"inlined"[..], b"inner"].map(|name| builder.intern(name));
        let set = RecordId(builder.trace().records.len() as u32);
        for name in names {
            let cells = [
                ("symbol_set_id", set.into()),
                ("name", ArgValue::Text(name)),
            ];
            builder.record(NO_TIME, "stack_profile_symbol", &cells);
        }
        let frame = builder.record(NO_TIME, "frames", &[("symbol_set_id", set.into())]);
        let callsite = builder.record(NO_TIME, "callsites", &[("frame_id", frame.into())]);
        // A frame with the same symbols, and with its name before obfuscation.
        let original = ArgValue::Text(builder.intern(b"original"));
        let cells = [
            ("symbol_set_id", set.into()),
            ("deobfuscated_name", original),
        ];
        let renamed = builder.record(NO_TIME, "frames", &cells);
        let renamed = builder.record(NO_TIME, "callsites", &[("frame_id", renamed.into())]);
        sample(&mut builder, 1, 7, callsite);
        sample(&mut builder, 2, 7, renamed);
        let tree = CallTree::from_samples(&builder.finish(), None, None);
        let names: Vec<_> = counts(&tree).into_iter().map(|(path, ..)| path).collect();
        assert_eq!(names, ["", "/inner", "/inner/inlined", "/original"]);
    }

    /// Every thread needs nodes of its own for a deep stack.
    #[test]
    fn the_tree_takes_as_much_memory_as_the_trace() {
        let mut builder = TraceBuilder::new();
        let mut deep = callsite(&mut builder, b"f", None);
        for _ in 0..2_000 {
            deep = callsite(&mut builder, b"f", Some(deep));
        }
        for tid in 0..2_000 {
            sample(&mut builder, tid, tid, deep);
        }
        let trace = builder.finish();
        let tree = CallTree::from_samples(&trace, None, None);
        assert_eq!((tree.calls, tree.threads.len()), (2_000, 2_000));
        assert!(tree.nodes.len() < 1_000_000, "{}", tree.nodes.len());
        assert!(tree.repairs.count(RepairKind::BeyondLimit) > 1_000);
    }
}
