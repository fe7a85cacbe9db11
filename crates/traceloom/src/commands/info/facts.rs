//! The facts that `info` prints, gathered from the tables. They are also its JSON.

use std::path::Path;

use serde::Serialize;
use traceloom_trace::{NO_DURATION, NO_NUMBER, ProcessId, RowId, SourceId, Trace, sort};

/// The facts about one file. Times are nanoseconds.
#[derive(Debug, Serialize)]
pub struct Facts {
    /// The name of the file as given.
    pub file: String,
    /// The inputs in the file: several if it is a container.
    pub sources: Vec<SourceFacts>,
    /// The time of the first event, on the trace's own clock.
    pub start_ns: i64,
    /// The time from the first event to the last.
    pub duration_ns: i64,
    /// Metadata of the file, in its order.
    pub metadata: Vec<(String, String)>,
    /// Clock sync points.
    pub clocks: Vec<ClockFacts>,
    /// Rows of each table.
    pub counts: Counts,
    /// Processes by pid.
    pub processes: Vec<ProcessFacts>,
    /// Threads, busiest first.
    pub threads: Vec<ThreadFacts>,
    /// Repairs and losses.
    pub repairs: Vec<RepairFacts>,
    /// Memory of the tables, bytes.
    pub memory_bytes: usize,
}

/// One input.
#[derive(Debug, Serialize)]
pub struct SourceFacts {
    /// The name of the input.
    pub name: String,
    /// The short name of the format.
    pub format: String,
    /// The title of the format.
    pub title: String,
}

/// A sync point between the trace's clock and another.
#[derive(Debug, Serialize)]
pub struct ClockFacts {
    /// The other clock.
    pub clock: &'static str,
    /// Time on the trace's clock.
    pub ts_ns: i64,
    /// The time on the other clock.
    pub value_ns: i64,
    /// The largest error of the sync point.
    pub precision_ns: i64,
    /// The name of the marker.
    pub name: String,
}

/// Rows of each table.
#[derive(Debug, Serialize)]
pub struct Counts {
    /// Slices.
    pub slices: usize,
    /// Methods.
    pub methods: usize,
    /// Counter values.
    pub counters: usize,
    /// Whole counter values that a float cannot hold.
    pub exact_counters: usize,
    /// Instants.
    pub instants: usize,
    /// Flows.
    pub flows: usize,
    /// Intervals in which a thread ran on a CPU.
    pub sched_slices: usize,
    /// Ends of run intervals with an unknown start.
    pub run_ends: usize,
    /// Wake-ups of threads.
    pub wakeups: usize,
    /// Thread states.
    pub thread_states: usize,
    /// Names that threads had, by time.
    pub thread_names: usize,
    /// Kernel events without a table of their own.
    pub ftrace_events: usize,
    /// Arguments.
    pub args: usize,
    /// Tracks.
    pub tracks: usize,
    /// Rows of tables that only SQL and the page read: samples, heaps, logs.
    pub records: usize,
    /// Processes.
    pub processes: usize,
    /// Threads.
    pub threads: usize,
    /// Distinct strings.
    pub strings: usize,
}

/// A process.
#[derive(Debug, Serialize)]
pub struct ProcessFacts {
    /// Its pid, if known.
    pub pid: Option<i64>,
    /// The name.
    pub name: String,
    /// The number of its known threads.
    pub threads: usize,
}

/// A thread.
#[derive(Debug, Serialize)]
pub struct ThreadFacts {
    /// Its tid.
    pub tid: i64,
    /// The name.
    pub name: String,
    /// The pid of its process, if known.
    pub pid: Option<i64>,
    /// Slices on its tracks.
    pub slices: usize,
    /// Time on a CPU, from scheduling events.
    pub running_ns: i64,
}

/// Repairs of one kind.
#[derive(Debug, Serialize)]
pub struct RepairFacts {
    /// The stable name of the kind.
    pub kind: &'static str,
    /// `note`, `mended` or `loss`.
    pub severity: &'static str,
    /// How often it happened, or how much was lost.
    pub count: u64,
    /// The first position, in words.
    pub first: String,
    /// The offending data.
    pub detail: String,
    /// The explanation of the kind.
    pub explanation: &'static str,
}

impl Facts {
    /// Gathers the facts.
    pub fn of(path: &Path, trace: &Trace) -> Self {
        Self {
            file: path.display().to_string(),
            sources: (0..trace.sources.len())
                .map(|row| source(trace, row))
                .collect(),
            start_ns: trace.bounds.0,
            duration_ns: trace.duration_ns(),
            metadata: metadata(trace),
            clocks: clocks(trace),
            counts: counts(trace),
            processes: processes(trace),
            threads: threads(trace),
            repairs: repairs(trace),
            memory_bytes: trace.heap_bytes(),
        }
    }
}

fn source(trace: &Trace, row: usize) -> SourceFacts {
    let row = trace.sources.row(row);
    let format = trace.strings.get(row.format);
    let known = traceloom_formats::FORMATS
        .iter()
        .find(|known| known.id() == format);
    SourceFacts {
        name: trace.strings.get(row.name).to_owned(),
        format: format.to_owned(),
        title: known.map_or(format, |known| known.title()).to_owned(),
    }
}

fn metadata(trace: &Trace) -> Vec<(String, String)> {
    let text = |id| trace.strings.get(id).to_owned();
    trace
        .metadata
        .rows()
        .map(|row| (text(row.key), text(row.value)))
        .collect()
}

fn clocks(trace: &Trace) -> Vec<ClockFacts> {
    let facts = trace.clocks.iter().map(|row| ClockFacts {
        clock: row.clock.name(),
        ts_ns: row.ts,
        value_ns: row.value_ns,
        precision_ns: row.precision_ns,
        name: row.name.clone(),
    });
    facts.collect()
}

fn counts(trace: &Trace) -> Counts {
    Counts {
        slices: trace.slices.span_count(),
        methods: trace.methods.len(),
        counters: trace.counters.len(),
        exact_counters: trace.exact_counters.len(),
        instants: trace.slices.instants().count(),
        flows: trace.flows.len(),
        sched_slices: trace.sched_slices.len(),
        run_ends: trace.run_ends.len(),
        wakeups: trace.wakeups.len(),
        thread_states: trace.thread_states.len(),
        thread_names: trace.thread_names.len(),
        ftrace_events: trace.ftrace_events.len(),
        args: trace.args.len(),
        records: trace.records.recorded(&trace.strings),
        tracks: trace.tracks.len(),
        processes: trace.real_processes().count(),
        threads: trace.real_threads().count(),
        strings: trace.strings.texts(),
    }
}

fn processes(trace: &Trace) -> Vec<ProcessFacts> {
    let mut threads = vec![0usize; trace.processes.len()];
    for upid in trace.threads.upid.iter().filter_map(RowId::some) {
        threads[upid.row()] += 1;
    }
    let facts = trace.real_processes().map(|upid| {
        let row = trace.processes.row(upid.row());
        ProcessFacts {
            pid: known(row.pid),
            name: trace.strings.get(row.name).to_owned(),
            threads: threads[upid.row()],
        }
    });
    let mut facts: Vec<_> = facts.collect();
    sort::by_key(&mut facts, |process| process.pid);
    facts
}

fn threads(trace: &Trace) -> Vec<ThreadFacts> {
    let mut slices = vec![0usize; trace.threads.len()];
    for row in trace.slices.spans() {
        if let Some(utid) = trace.track_thread(trace.slices.track_id.get(row)) {
            slices[utid.row()] += 1;
        }
    }
    let mut running = vec![0i64; trace.threads.len()];
    for row in trace
        .sched_slices
        .rows()
        .filter(|row| row.utid != RowId::NONE)
    {
        let dur = match row.dur {
            NO_DURATION => trace.bounds.1.saturating_sub(row.ts),
            dur => dur,
        };
        let sum = &mut running[row.utid.row()];
        *sum = sum.saturating_add(dur.max(0));
    }
    let facts = trace.real_threads().map(|utid| {
        let row = trace.threads.row(utid.row());
        let pid = |upid: ProcessId| known(trace.processes.pid.get(upid.row()));
        ThreadFacts {
            tid: row.tid,
            name: trace.strings.get(row.name).to_owned(),
            pid: row.upid.some().and_then(pid),
            slices: slices[utid.row()],
            running_ns: running[utid.row()],
        }
    });
    let mut facts: Vec<_> = facts.collect();
    sort::by_key(&mut facts, |thread| {
        std::cmp::Reverse((thread.slices, thread.running_ns))
    });
    facts
}

fn repairs(trace: &Trace) -> Vec<RepairFacts> {
    let several = trace.sources.len() > 1;
    let place = |source: SourceId, place: String| match source.some() {
        Some(source) if several => {
            let name = trace.sources.name.get(source.row());
            format!("{place} of {}", trace.strings.get(name))
        }
        _ => place,
    };
    let mut facts: Vec<_> = trace
        .repairs
        .rows()
        .iter()
        .map(|row| RepairFacts {
            kind: row.kind.name(),
            severity: row.kind.severity().name(),
            count: row.count,
            first: place(row.source, row.first.to_string()),
            detail: row.detail.clone(),
            explanation: row.kind.explanation(),
        })
        .collect();
    sort::by_key(&mut facts, |repair| severity_rank(repair.severity));
    facts
}

/// Losses first, because they affect how far the numbers can be trusted.
fn severity_rank(name: &str) -> usize {
    ["loss", "mended", "note"]
        .iter()
        .position(|known| *known == name)
        .unwrap_or(3)
}

fn known(number: i64) -> Option<i64> {
    (number != NO_NUMBER).then_some(number)
}
