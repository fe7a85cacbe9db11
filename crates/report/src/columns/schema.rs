//! The known tables, and the default and allowed values of their columns.

use traceloom_trace::{
    ArgSetId, Column, NO_DURATION, NO_FLAG, NO_NUMBER, NO_PRIORITY, NO_TIME, StringId, ThreadId,
    ThreadStateTable, Trace, TrackId, TrackType, tables::RecordTable,
};

use super::read::Filler;
use super::rule::{Known, Rows, Rule};

/// The trace that is being read, and the tables from which parts of it are restored.
pub(crate) struct Parts {
    pub trace: Trace,
    /// Thread states that are stored explicitly; only the columns that `thread_states` itself
    /// lacks.
    pub stored: ThreadStateTable,
    pub idle: Idle,
    pub args: Args,
    pub instants: Instants,
    pub records: RecordTable,
    pub cells: Args,
}

impl Parts {
    pub fn of(trace: Trace) -> Self {
        Self {
            trace,
            stored: ThreadStateTable::default(),
            idle: Idle::default(),
            args: Args::default(),
            instants: Instants::default(),
            records: RecordTable::default(),
            cells: Args::default(),
        }
    }
}

/// Threads that run but have no states.
#[derive(Default)]
pub(crate) struct Idle {
    pub utid: Column<ThreadId>,
}

/// The instants of older reports. In newer reports, instants are slices.
#[derive(Default)]
pub(crate) struct Instants {
    pub ts: Column<i64>,
    pub track_id: Column<TrackId>,
    pub name: Column<StringId>,
    pub arg_set_id: Column<ArgSetId>,
}

/// The length of each argument set, in older reports; keys, kinds and values of all arguments.
#[derive(Default)]
pub(crate) struct Args {
    pub length: Column<u32>,
    pub key: Column<StringId>,
    pub kind: Column<u8>,
    pub value: Column<u64>,
}

/// A known table, and the function that fills its columns.
type Table = (&'static str, fn(&mut Parts, &mut Filler<'_, '_>));

/// Fills the columns of a table in the order of the schema. Unknown tables are skipped.
pub(crate) fn fill(parts: &mut Parts, filler: &mut Filler<'_, '_>) {
    let table = filler.table.name;
    if let Some((_, fill)) = TABLES.iter().find(|(name, _)| *name == table) {
        fill(parts, filler);
    }
}

macro_rules! tables {
    ($($table:ident = $($place:ident).+ { $($column:ident: $rule:expr;)* })*) => {
        const TABLES: &[Table] = &[$((stringify!($table), |parts, filler| {
            let table = &mut parts.$($place).+;
            $(filler.column(
                const {
                    let (missing, rule) = $rule;
                    &Known { name: stringify!($column), missing, rule }
                },
                &mut table.$column,
            );)*
        }),)*];
    };
}

const TS: (i64, Rule) = (0, Rule::Sorted);
const DUR: (i64, Rule) = (NO_DURATION, Rule::Length);
const TEXT: (i64, Rule) = (StringId::NULL.0 as i64, Rule::Id(Rows::Strings));
const SOURCE: (i64, Rule) = maybe(Rows::Sources);
const ARGS: (i64, Rule) = maybe(Rows::ArgSets);

const fn any(missing: i64) -> (i64, Rule) {
    (missing, Rule::Any)
}

const fn cpu(missing: i64) -> (i64, Rule) {
    (missing, Rule::Cpu)
}

const fn id(of: Rows) -> (i64, Rule) {
    (-1, Rule::Id(of))
}

const fn maybe(of: Rows) -> (i64, Rule) {
    (-1, Rule::MaybeId(of))
}

tables! {
    sources = trace.sources { name: TEXT; format: TEXT; bytes: any(0); machine: any(0); }
    processes = trace.processes {
        pid: any(NO_NUMBER); name: TEXT; cmdline: TEXT; uid: any(NO_NUMBER); ppid: any(NO_NUMBER);
        start_ts: any(NO_TIME); end_ts: any(NO_TIME); source: SOURCE; arg_set_id: ARGS;
    }
    threads = trace.threads {
        tid: any(NO_NUMBER); name: TEXT; upid: maybe(Rows::Processes); is_main_thread: any(0);
        start_ts: any(NO_TIME); end_ts: any(NO_TIME); source: SOURCE; arg_set_id: ARGS;
    }
    tracks = trace.tracks {
        kind: any(TrackType::GlobalSlice as i64); name: TEXT; category: TEXT;
        utid: maybe(Rows::Threads); upid: maybe(Rows::Processes); cpu: any(NO_NUMBER);
        parent: (-1, Rule::Parent(Rows::Tracks)); source: SOURCE;
        declared_parent: (-1, Rule::Parent(Rows::Tracks)); unit: TEXT; arg_set_id: ARGS;
    }
    methods = trace.methods {
        raw_id: any(0); class: TEXT; name: TEXT; signature: TEXT; file: TEXT; line: any(-1);
        source: SOURCE;
    }
    metadata = trace.metadata { key: TEXT; value: TEXT; source: SOURCE; }
    slices = trace.slices {
        ts: TS; dur: DUR; track_id: id(Rows::Tracks); name: TEXT; category: TEXT;
        depth: (0, Rule::Depth); parent_id: (-1, Rule::Parent(Rows::Slices)); arg_set_id: ARGS;
        thread_ts: any(NO_DURATION); thread_dur: any(NO_DURATION);
        method_id: maybe(Rows::Methods); instant: any(0);
    }
    flows = trace.flows { slice_out: id(Rows::Slices); slice_in: id(Rows::Slices); name: TEXT;
        trace_id: any(NO_NUMBER);
    }
    counters = trace.counters {
        ts: TS; track_id: id(Rows::Tracks); value: any(0); arg_set_id: ARGS;
    }
    exact_counters = trace.exact_counters { ts: TS; track_id: id(Rows::Tracks); value: any(0); }
    instants = instants {
        ts: TS; track_id: id(Rows::Tracks); name: TEXT; arg_set_id: ARGS;
    }
    sched_slices = trace.sched_slices {
        ts: TS; dur: DUR; cpu: cpu(0); utid: maybe(Rows::Threads); end_state: any(0);
        priority: any(0); inferred: any(0); end_priority: any(NO_PRIORITY as i64);
    }
    run_ends = trace.run_ends {
        ts: TS; cpu: cpu(0); utid: maybe(Rows::Threads); end_state: any(0); priority: any(0);
    }
    wakeups = trace.wakeups {
        ts: TS; kind: any(0); cpu: cpu(0); waker_utid: maybe(Rows::Threads);
        utid: id(Rows::Threads); target_cpu: cpu(-1); priority: any(NO_PRIORITY as i64);
        irq_context: any(NO_FLAG as i64);
    }
    thread_names = trace.thread_names { ts: TS; utid: id(Rows::Threads); name: TEXT; }
    idle_threads = idle { utid: id(Rows::Threads); }
    told_states = stored {
        ts: any(0); utid: any(-1); cpu: any(-1); state: any(0); waker_utid: any(-1);
    }
    thread_states = trace.thread_states {
        ts: TS; dur: DUR; utid: id(Rows::Threads); cpu: cpu(-1); state: any(0); io_wait: any(-1);
        blocked_function: TEXT; waker_utid: maybe(Rows::Threads);
    }
    ftrace_events = trace.ftrace_events {
        ts: TS; name: TEXT; utid: maybe(Rows::Threads); cpu: cpu(0); arg_set_id: ARGS;
    }
    arg_sets = args { length: any(0); }
    args = args { key: TEXT; kind: any(0); value: any(0); }
    records = records { ts: any(NO_TIME); table: TEXT; cells: maybe(Rows::Cells); }
    record_cells = cells { key: TEXT; kind: any(0); value: any(0); }
}
