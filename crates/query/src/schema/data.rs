//! The data that columns are computed from: the trace, and a few tables that are derived from it when a session opens.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use traceloom_trace::{
    ArgSetId, ProcessId, RepairRow, RowId, SourceId, StringId, TaskState, ThreadId, Trace,
};

use super::cell::Cell;
use super::clocks::{Reading, readings};
use super::facts::{Fact, facts};
use super::figures::{Figure, figures};
use super::files::{TraceFile, files};
use super::json_args;
use super::keys::{flat_key, keys_with_indexes};
use super::links::{NONE, irq_contexts, parents, wakers};
use super::record_rows::RecordRows;
use super::references::References;
use super::texts::MoreTexts;
use super::track_type::TrackFacts;
use super::words::WORDS;

/// A trace, and further texts that its tables need.
#[derive(Debug)]
pub(crate) struct Data {
    pub trace: Arc<Trace>,
    /// The CPUs that occur in scheduling, events or tracks, in order.
    pub cpus: Vec<u32>,
    /// The records about CPUs, by the CPU's number.
    pub(super) cpu_records: BTreeMap<u32, usize>,
    /// The kernel's idle threads, in order: the first row, and those of further kernel traces.
    pub(super) idle: Vec<ThreadId>,
    more: MoreTexts,
    /// `class.method` of each method.
    method_names: Vec<StringId>,
    /// The letters of each state that occurs, in the order of their bits.
    states: Vec<(u16, StringId)>,
    pub(super) tracks: TrackFacts,
    pub records: RecordRows,
    pub(super) references: References,
    /// The parent of each process.
    pub(super) parents: Vec<ProcessId>,
    /// For each thread state, the row in which the waker ran. Computed when a query first needs it.
    pub(super) wakers: OnceLock<Vec<u32>>,
    /// For each thread state, whether an interrupt woke the thread. Computed when a query first needs it.
    irq_contexts: OnceLock<Vec<i8>>,
    /// The sets of arguments. Computed when a query first needs an argument of a long one.
    pub(super) arg_sets: OnceLock<Vec<ArgSetId>>,
    /// The keys of arguments with indexes, and the same without them.
    pub(super) flat_keys: HashMap<StringId, StringId>,
    pub(super) repairs: Vec<RepairTexts>,
    pub(super) clocks: Vec<Reading>,
    pub facts: Vec<Fact>,
    pub(super) figures: Vec<Figure>,
    pub(super) files: Vec<TraceFile>,
    words: [StringId; WORDS.len()],
}

/// The texts of a repair.
#[derive(Debug)]
pub(super) struct RepairTexts {
    pub kind: StringId,
    pub severity: StringId,
    pub explanation: StringId,
    pub place: StringId,
    pub detail: StringId,
}

impl Data {
    /// Prepares a trace for queries: arguments from JSON get Perfetto's keys. Nothing else that grows with the trace is
    /// copied.
    pub fn new(mut trace: Arc<Trace>) -> Self {
        if json_args::has_json(&trace) {
            json_args::rename(Arc::make_mut(&mut trace));
        }
        let mut more = MoreTexts::default();
        let mut intern = |text: &str| more.intern(&trace.strings, text);
        let words = WORDS.map(&mut intern);
        let methods = (0..trace.methods.len()).map(RowId::from_row);
        let method_names = methods.map(|id| intern(&trace.method_name(id))).collect();
        let tracks = TrackFacts::new(&trace, &mut intern);
        // Perfetto writes the letters of several flags side by side; the kernel separates them with bars.
        let state = |bits| (bits, intern(&TaskState(bits).to_string().replace('|', "")));
        let states = states(&trace).into_iter().map(state).collect();
        let flat = |key| (key, intern(&flat_key(trace.strings.get(key))));
        let flat_keys = keys_with_indexes(&trace).into_iter().map(flat).collect();
        let repairs = trace.repairs.rows().iter();
        let repairs = repairs
            .map(|row| RepairTexts::new(row, &mut intern))
            .collect();
        let clocks = readings(&trace, &mut intern);
        let facts = facts(&trace, &mut intern);
        let figures = figures(&trace, &mut intern);
        let files = files(&trace, &mut intern);
        let mut records = RecordRows::new(&trace);
        let references = References::new(&trace, &mut records);
        Self {
            cpus: cpus(&trace),
            cpu_records: super::cpus::records(&trace),
            idle: trace.idle_threads(),
            parents: parents(&trace),
            wakers: OnceLock::new(),
            irq_contexts: OnceLock::new(),
            arg_sets: OnceLock::new(),
            more,
            method_names,
            states,
            tracks,
            records,
            references,
            flat_keys,
            repairs,
            clocks,
            facts,
            figures,
            files,
            words,
            trace,
        }
    }

    /// The row of `thread_state` in which the waker of this row's thread ran.
    pub(super) fn waker(&self, row: usize) -> Cell {
        let utid = self.trace.thread_states.waker_utid.get(row);
        if utid.some().is_none() {
            return Cell::Null;
        }
        let wakers = self.wakers.get_or_init(|| wakers(&self.trace));
        Cell::unless(wakers[row].into(), NONE.into())
    }

    /// Whether an interrupt woke the thread into this row of `thread_state`.
    pub(super) fn irq_context(&self, row: usize) -> Cell {
        if self.trace.wakeups.is_empty() {
            return Cell::Null;
        }
        let contexts = self.irq_contexts.get_or_init(|| irq_contexts(&self.trace));
        Cell::unless(contexts[row].into(), -1)
    }

    /// The text of an id.
    pub fn get(&self, id: StringId) -> &str {
        self.more.get(&self.trace.strings, id)
    }

    /// The number of text ids. All ids are below this number.
    pub fn texts(&self) -> usize {
        self.more.len(&self.trace.strings)
    }

    /// The name of a slice: `class.method` for a call.
    pub fn slice_name(&self, row: usize) -> Cell {
        match self.trace.slices.method_id.get(row).some() {
            Some(method) => Cell::text(self.method_name(method.row())),
            None => Cell::text(self.trace.slices.name.get(row)),
        }
    }

    /// The name of a method, `class.method`; NULL if there is no such method.
    pub fn method_name(&self, row: usize) -> StringId {
        let name = self.method_names.get(row);
        name.copied().unwrap_or(StringId::NULL)
    }

    /// The letters of a state, such as `DK`; NULL if it is unknown.
    pub fn state(&self, state: TaskState) -> Cell {
        match self
            .states
            .binary_search_by_key(&state.0, |(bits, _)| *bits)
        {
            Ok(at) => Cell::text(self.states[at].1),
            Err(_) => Cell::Null,
        }
    }

    /// The machine that an input was recorded on.
    pub(super) fn machine(&self, source: SourceId) -> Cell {
        let machines = &self.trace.sources.machine;
        let machine = source.some().map(|source| source.row());
        let machine = machine.filter(|row| *row < machines.len());
        Cell::Int(machine.map_or(0, |row| machines.get(row)))
    }

    /// The process of a thread. In PerfettoSQL, the idle thread is the main thread of the idle process.
    pub(super) fn process_of(&self, row: usize) -> Cell {
        match ThreadId::from_row(row) {
            ThreadId::IDLE => Cell::id(ProcessId::IDLE),
            _ => Cell::id(self.trace.threads.upid.get(row)),
        }
    }

    /// Whether a thread is the first one of its process; NULL if its process is not known.
    pub(super) fn is_main_thread(&self, row: usize) -> Cell {
        let is_main = self.trace.threads.is_main_thread.get(row);
        let is_main = is_main || ThreadId::from_row(row) == ThreadId::IDLE;
        match self.process_of(row) {
            Cell::Null if !is_main => Cell::Null,
            _ => Cell::Int(is_main.into()),
        }
    }

    /// Whether a thread is the kernel's idle thread.
    pub(super) fn is_idle(&self, row: usize) -> Cell {
        let found = self.idle.binary_search(&ThreadId::from_row(row));
        Cell::Int(found.is_ok().into())
    }

    /// One of [`WORDS`].
    pub(super) fn word(&self, at: usize) -> Cell {
        Cell::Text(self.words[at])
    }
}

impl RepairTexts {
    fn new(row: &RepairRow, intern: &mut dyn FnMut(&str) -> StringId) -> Self {
        Self {
            kind: intern(row.kind.name()),
            severity: intern(row.kind.severity().name()),
            explanation: intern(row.kind.explanation()),
            place: intern(&row.first.to_string()),
            detail: intern(&row.detail),
        }
    }
}

/// The bits of every state that occurs, in order.
fn states(trace: &Trace) -> Vec<u16> {
    let mut seen = vec![false; 1 << 16];
    for state in trace.thread_states.state.iter() {
        seen[usize::from(state.0)] = true;
    }
    for state in trace.sched_slices.end_state.iter() {
        seen[usize::from(state.0)] = true;
    }
    (1..=u16::MAX)
        .filter(|&bits| seen[usize::from(bits)])
        .collect()
}

/// Every CPU that occurs, in order.
fn cpus(trace: &Trace) -> Vec<u32> {
    let mut cpus: Vec<u32> = Vec::new();
    let mut last = u32::MAX;
    let mut see = |cpu: u32| {
        if cpu != last && cpu != u32::MAX {
            last = cpu;
            if let Err(place) = cpus.binary_search(&cpu) {
                cpus.insert(place, cpu);
            }
        }
    };
    trace.sched_slices.cpu.iter().for_each(&mut see);
    trace.thread_states.cpu.iter().for_each(&mut see);
    trace.ftrace_events.cpu.iter().for_each(&mut see);
    let tracks = trace.tracks.cpu.iter();
    tracks
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .for_each(&mut see);
    super::cpus::records(trace).into_keys().for_each(&mut see);
    cpus
}
