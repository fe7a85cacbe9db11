//! Builds the tree directly from the records of a method trace, without tables.

use traceloom_trace::{
    CallStack, MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine,
    MethodTraceStart, Place, RepairKind, RepairTable, RowId, SourceId, ThreadId, ThreadIndex,
    TrackType,
};

use super::arena::{Arena, NONE};
use super::clip::{Clip, TimeRange};
use super::faults::Faults;
use super::freeze::{ROOT_KEY, Span, freeze};
use super::function::{Function, FunctionId};
use super::measure::{CpuSource, TreeClocks};
use super::open_thread::{Frame, OpenThread, moment_of};
use super::passes::Passes;
use super::{CallNodes, CallTree, NodeId, TreeThread};

/// Memory that the tree may take regardless of the file, and per byte of the file; names and the
/// profile need the rest.
const FREE_BYTES: u64 = 24 << 20;
const BYTES_PER_BYTE: u64 = 9;

/// Memory of an open call, here and in the decoder, bytes.
const OPEN_CALL_BYTES: usize = size_of::<(u32, Frame)>() + 8;

/// Builds a [`CallTree`] from the records of a method trace while they are read.
///
/// For most records, only the innermost open call and the node it leads to are read. Repeated paths
/// allocate nothing. Exits without an entry, and calls that never end, follow the rules of
/// [`CallStack`]. Calls still open at the end are closed at the last event of their thread.
#[derive(Debug)]
pub struct CallTreeBuilder {
    arena: Arena,
    passes: Box<Passes>,
    threads: Vec<OpenThread>,
    names: Vec<Option<(u32, String)>>,
    functions: Vec<Option<Function>>,
    clocks: MethodClocks,
    range: Option<TimeRange>,
    faults: Faults,
    repairs: RepairTable,
    pid: i64,
    records: u64,
    clock_overhead_ns: Option<i64>,
    /// Open calls on all threads.
    open: usize,
}

impl Default for CallTreeBuilder {
    fn default() -> Self {
        Self::new(None)
    }
}

impl CallTreeBuilder {
    /// Creates a builder. If a range is given, calls are cut at its ends, which are relative to the
    /// first record.
    pub fn new(range: Option<TimeRange>) -> Self {
        Self {
            arena: Arena::default(),
            passes: Box::default(),
            threads: Vec::new(),
            names: Vec::new(),
            functions: Vec::new(),
            clocks: MethodClocks {
                wall: true,
                cpu: true,
            },
            range,
            faults: Faults::default(),
            repairs: RepairTable::default(),
            pid: -1,
            records: 0,
            clock_overhead_ns: None,
            open: 0,
        }
    }

    /// Whether the number of paths so far exceeds the limit for the size of the file. If so,
    /// further records are only counted. A recorder writes more bytes for a call than a path takes
    /// here, so this happens only for broken files.
    fn is_full(&mut self, batch: &[MethodEvent]) -> bool {
        let Some(last) = batch.last() else {
            return false;
        };
        let taken = self.arena.peak_bytes() + self.open * OPEN_CALL_BYTES;
        let paid = FREE_BYTES.saturating_add(BYTES_PER_BYTE.saturating_mul(last.offset));
        let is_full = self.faults.beyond.count > 0 || taken as u64 > paid;
        if is_full {
            self.faults.beyond.add(batch.len() as u64, *last);
        }
        is_full
    }

    /// Builds the tree of all records.
    pub fn build(mut self) -> CallTree {
        self.close_open_calls();
        self.note_faults();
        let clocks = TreeClocks {
            wall: self.clocks.wall,
            cpu: if self.clocks.cpu {
                CpuSource::ThreadClock
            } else {
                CpuSource::None
            },
            states: false,
        };
        let used: Vec<usize> = (0..self.threads.len())
            .filter(|&index| self.threads[index].root != NONE)
            .collect();
        let spans = used.iter().map(|&index| {
            let thread = &self.threads[index];
            (thread.root, thread.span())
        });
        let roots: Vec<(u32, Span)> = spans.collect();
        let mut threads: Vec<TreeThread> = used.iter().map(|&at| self.describe(at)).collect();
        let (nodes, root_ids) = freeze(self.arena, &roots, None);
        for (thread, root) in threads.iter_mut().zip(root_ids) {
            thread.root = root;
        }
        CallTree {
            functions: name_functions(self.functions, &nodes),
            origins: Vec::new(),
            threads,
            nodes,
            clocks,
            repairs: self.repairs,
            calls: self.records,
            sample_events: Vec::new(),
            other_slices: 0,
            clock_overhead_ns: self.clock_overhead_ns,
        }
    }

    fn describe(&self, index: usize) -> TreeThread {
        let thread = &self.threads[index];
        let declared = self.names.get(index).cloned().flatten();
        let (tid, name) = declared.unwrap_or((index as u32, String::new()));
        TreeThread {
            name: match name.as_str() {
                "" => format!("thread {tid}"),
                _ => name,
            },
            tid: tid.into(),
            process: String::new(),
            pid: self.pid,
            kind: TrackType::ArtMethodTracing,
            utid: ThreadId::NONE,
            source: SourceId::NONE,
            root: NodeId::NONE,
            first_ns: thread.first.wall_ns,
            last_ns: thread.last.wall_ns,
        }
    }

    fn close_open_calls(&mut self) {
        let mut never_closed = 0;
        for thread in &mut self.threads {
            while let Some(frame) = thread.stack.pop() {
                never_closed += 1;
                thread.close(&mut self.arena, frame, thread.last);
            }
        }
        let place = Place::default();
        self.repairs.add(
            SourceId(0),
            RepairKind::NeverClosed,
            never_closed,
            place,
            String::new,
        );
    }

    fn note_faults(&mut self) {
        let faults = std::mem::take(&mut self.faults);
        let kinds = [
            (RepairKind::UnmatchedExit, faults.unmatched),
            (RepairKind::MissingExit, faults.missing),
            (RepairKind::NegativeDuration, faults.negative),
            (RepairKind::BeyondLimit, faults.beyond),
        ];
        for (kind, fault) in kinds {
            let Some((place, method)) = fault.first else {
                continue;
            };
            let name = self.functions.get(method.0 as usize).cloned().flatten();
            self.repairs.add(SourceId(0), kind, fault.count, place, || {
                name.unwrap_or_default().label()
            });
        }
    }

    /// Counts consecutive records of one thread; returns how many.
    fn count(&mut self, records: &[MethodEvent]) -> usize {
        let thread = &mut self.threads[records[0].thread.0 as usize];
        let before = thread.stack.depth();
        let (passes, arena) = (&mut self.passes, &mut self.arena);
        let counted = thread.run(passes, arena, &mut self.faults, records);
        self.open = self.open + thread.stack.depth() - before;
        counted
    }

    /// Starts a thread with its first entry. Earlier exits are skipped: there is no call to close
    /// and no root to attach to. Returns the number of records used.
    fn begin(&mut self, records: &[MethodEvent]) -> usize {
        let first = &records[0];
        if first.action() != MethodAction::Enter {
            self.faults.unmatched.add(1, *first);
            return 1;
        }
        self.make_thread(first.thread, first);
        0
    }

    fn make_thread(&mut self, index: ThreadIndex, first: &MethodEvent) {
        let range = self.range;
        let new = || OpenThread {
            stack: CallStack::default(),
            root: NONE,
            first: moment_of(first),
            last: moment_of(first),
            clip: range.map(|range| Box::new(Clip::new(range))),
        };
        let index = index.0 as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, new);
        }
        let thread = &mut self.threads[index];
        if thread.root == NONE && first.action() == MethodAction::Enter {
            thread.root = self.arena.root(ROOT_KEY);
            (thread.first, thread.last) = (moment_of(first), moment_of(first));
        }
    }
}

/// Gives a name to every function that nodes use, whether declared or not.
fn name_functions(declared: Vec<Option<Function>>, nodes: &CallNodes) -> Vec<Function> {
    let rows = (0..nodes.len() as u32).map(NodeId);
    let used = rows.map(|node| nodes.function(node));
    let used = used.filter(|used| *used != FunctionId::TOPLEVEL);
    let count = used.map(|used| used.0 as usize + 1).max().unwrap_or(0);
    let mut declared = declared;
    declared.resize(count.max(declared.len()), None);
    let numbered = declared.into_iter().enumerate();
    numbered
        .map(|(nth, function)| function.unwrap_or_else(|| Function::named(format!("method {nth}"))))
        .collect()
}

impl MethodEvents for CallTreeBuilder {
    fn start(&mut self, start: &MethodTraceStart) {
        self.clocks = start.clocks;
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        let index = index.0 as usize;
        if index >= self.names.len() {
            self.names.resize(index + 1, None);
        }
        self.names[index] = Some((tid, name.to_owned()));
    }

    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>) {
        let index = index.0 as usize;
        if index >= self.functions.len() {
            self.functions.resize(index + 1, None);
        }
        self.functions[index] = Some(Function::from_line(line));
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        if let (0, Some(range), Some(first)) = (self.records, &mut self.range, batch.first()) {
            *range = range.shifted(first.wall_ns);
        }
        if self.is_full(batch) {
            return;
        }
        self.records += batch.len() as u64;
        let mut rest = batch;
        while let Some(first) = rest.first() {
            let counted = match self.threads.get(first.thread.0 as usize) {
                Some(thread) if thread.root != NONE => self.count(rest),
                _ => self.begin(rest),
            };
            rest = &rest[counted..];
        }
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.repairs.add(SourceId(0), kind, count, place, || detail);
    }

    fn finish(&mut self, key_section: &[(String, String)]) {
        let number = |key: &str| {
            let line = key_section.iter().find(|(name, _)| name == key)?;
            line.1.trim_ascii().parse::<i64>().ok()
        };
        self.clock_overhead_ns = number("clock-call-overhead-nsec");
        self.pid = number("pid").unwrap_or(-1);
    }
}
