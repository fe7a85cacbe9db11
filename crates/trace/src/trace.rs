//! The finished trace.

use crate::args::ArgTable;
use crate::clock::ClockRow;
use crate::ids::{MethodId, RowId, SliceId, SourceId, ThreadId, TrackId};
use crate::records::Records;
use crate::repair::RepairTable;
use crate::strings::StringPool;
use crate::tables::{
    CounterTable, ExactCounterTable, FlowTable, FtraceEventTable, MetadataTable, MethodTable,
    NO_DURATION, NO_TIME, ProcessRow, ProcessTable, RunEndTable, SchedSliceTable, SliceTable,
    SourceTable, ThreadNameTable, ThreadRow, ThreadStateTable, ThreadTable, TrackTable,
    WakeupTable,
};

/// A trace: its tables, its strings, and the repairs made while reading it. Built by
/// [`TraceBuilder`](crate::TraceBuilder).
#[derive(Clone, Debug)]
pub struct Trace {
    /// Every distinct string, once.
    pub strings: StringPool,
    /// Input files.
    pub sources: SourceTable,
    /// Processes. The first row is reserved, see [`ProcessId::IDLE`](crate::ProcessId::IDLE).
    pub processes: ProcessTable,
    /// Threads. The first row is reserved, see [`ThreadId::IDLE`].
    pub threads: ThreadTable,
    /// Tracks.
    pub tracks: TrackTable,
    /// Slices and instants.
    pub slices: SliceTable,
    /// Methods.
    pub methods: MethodTable,
    /// Counter values.
    pub counters: CounterTable,
    /// Counter values that a float cannot hold.
    pub exact_counters: ExactCounterTable,
    /// Arrows between slices.
    pub flows: FlowTable,
    /// The runs on each CPU.
    pub sched_slices: SchedSliceTable,
    /// Ends of runs that are not in `sched_slices`.
    pub run_ends: RunEndTable,
    /// Wake-ups of threads.
    pub wakeups: WakeupTable,
    /// Names of threads over time.
    pub thread_names: ThreadNameTable,
    /// The states of each thread.
    pub thread_states: ThreadStateTable,
    /// Kernel events without a table of their own.
    pub ftrace_events: FtraceEventTable,
    /// Arguments of slices and events.
    pub args: ArgTable,
    /// Rows of tables that only queries read.
    pub records: Records,
    /// Facts about the trace.
    pub metadata: MetadataTable,
    /// Sync points between clocks.
    pub clocks: Vec<ClockRow>,
    /// Repairs and losses.
    pub repairs: RepairTable,
    /// The times of the first and the last event, ns. Both are 0 for a trace without events.
    pub bounds: (i64, i64),
}

impl Default for Trace {
    /// A trace with nothing but the reserved rows.
    fn default() -> Self {
        let (mut processes, mut threads) = (ProcessTable::default(), ThreadTable::default());
        processes.push(ProcessRow::idle());
        threads.push(ThreadRow::idle());
        Self {
            processes,
            threads,
            strings: Default::default(),
            sources: Default::default(),
            tracks: Default::default(),
            slices: Default::default(),
            methods: Default::default(),
            counters: Default::default(),
            exact_counters: Default::default(),
            flows: Default::default(),
            sched_slices: Default::default(),
            run_ends: Default::default(),
            wakeups: Default::default(),
            thread_names: Default::default(),
            thread_states: Default::default(),
            ftrace_events: Default::default(),
            args: Default::default(),
            records: Default::default(),
            metadata: Default::default(),
            clocks: Default::default(),
            repairs: Default::default(),
            bounds: Default::default(),
        }
    }
}

impl Trace {
    /// The time from the first event to the last, ns.
    pub fn duration_ns(&self) -> i64 {
        self.bounds.1.saturating_sub(self.bounds.0)
    }

    /// The name of a slice: its own, or `class.method` for a call.
    pub fn slice_name(&self, slice: SliceId) -> String {
        let row = slice.row();
        match self.slices.method_id.get(row).some() {
            Some(method) => self.method_name(method),
            None => self.strings.get(self.slices.name.get(row)).to_owned(),
        }
    }

    /// `class.method`, or the id if the file does not name the method.
    pub fn method_name(&self, method: MethodId) -> String {
        let row = self.methods.row(method.row());
        match (self.strings.get(row.class), self.strings.get(row.name)) {
            ("", "") => format!("0x{:x}", row.raw_id),
            (class, "") => class.to_owned(),
            ("", name) => name.to_owned(),
            (class, name) => format!("{class}.{name}"),
        }
    }

    /// The thread's name, or its number if it has none.
    pub fn thread_name(&self, thread: ThreadId) -> String {
        let row = self.threads.row(thread.row());
        match self.strings.get(row.name) {
            "" => format!("thread {}", row.tid),
            name => name.to_owned(),
        }
    }

    /// The end of a slice, ns; the end of the trace for an unfinished slice.
    #[inline]
    pub fn slice_end(&self, slice: SliceId) -> i64 {
        let (ts, dur) = (
            self.slices.ts.get(slice.row()),
            self.slices.dur.get(slice.row()),
        );
        if dur == NO_DURATION {
            self.bounds.1.max(ts)
        } else {
            ts.saturating_add(dur)
        }
    }

    /// The thread of a track.
    #[inline]
    pub fn track_thread(&self, track: TrackId) -> Option<ThreadId> {
        self.tracks.utid.get(track.row()).some()
    }

    /// The first value of a metadata key.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let key = self.strings.lookup(key)?;
        let row = self
            .metadata
            .key
            .iter()
            .position(|candidate| candidate == key)?;
        Some(self.strings.get(self.metadata.value.get(row)))
    }

    /// The time of each source's last event, ns. Unfinished slices of a source last at least until
    /// then. For a single source, and for one without events, this is the end of the trace.
    pub fn source_ends(&self) -> Vec<i64> {
        let mut ends = vec![NO_TIME; self.sources.len()];
        let mut look = |rows: usize, row: &dyn Fn(usize) -> (SourceId, i64)| {
            for at in 0..rows {
                let (source, ts) = row(at);
                if let Some(end) = ends.get_mut(source.row()) {
                    *end = ts.max(*end);
                }
            }
        };
        if self.sources.len() > 1 {
            let of_track = |track: TrackId| self.tracks.source.get(track.row());
            let of_thread = |utid: ThreadId| match utid.some() {
                Some(utid) => self.threads.source.get(utid.row()),
                None => SourceId::NONE,
            };
            let last = |ts: i64, dur: i64| ts.saturating_add(dur.max(0));
            let (slices, states) = (&self.slices, &self.thread_states);
            let (counters, events) = (&self.counters, &self.ftrace_events);
            look(slices.len(), &|at| {
                let end = last(slices.ts.get(at), slices.dur.get(at));
                (of_track(slices.track_id.get(at)), end)
            });
            look(states.len(), &|at| {
                let end = last(states.ts.get(at), states.dur.get(at));
                (of_thread(states.utid.get(at)), end)
            });
            look(counters.len(), &|at| {
                (of_track(counters.track_id.get(at)), counters.ts.get(at))
            });
            look(events.len(), &|at| {
                (of_thread(events.utid.get(at)), events.ts.get(at))
            });
        }
        let known = |end| if end == NO_TIME { self.bounds.1 } else { end };
        ends.into_iter().map(known).collect()
    }

    /// Memory used by the tables and strings, bytes.
    pub fn heap_bytes(&self) -> usize {
        self.strings.heap_bytes()
            + self.sources.heap_bytes()
            + self.processes.heap_bytes()
            + self.threads.heap_bytes()
            + self.tracks.heap_bytes()
            + self.slices.heap_bytes()
            + self.methods.heap_bytes()
            + self.counters.heap_bytes()
            + self.exact_counters.heap_bytes()
            + self.flows.heap_bytes()
            + self.sched_slices.heap_bytes()
            + self.run_ends.heap_bytes()
            + self.wakeups.heap_bytes()
            + self.thread_names.heap_bytes()
            + self.thread_states.heap_bytes()
            + self.ftrace_events.heap_bytes()
            + self.args.heap_bytes()
            + self.records.heap_bytes()
            + self.metadata.heap_bytes()
    }
}
