//! The declaration of every table and view: names, columns, types, one line of documentation each, and the source of
//! each value in the trace. Both the virtual tables and `docs/sql.md` are generated from it.

mod cell;
mod clocks;
mod column;
mod cpus;
mod data;
mod declared;
mod docs;
mod events;
mod facts;
mod figures;
mod files;
mod heap_references;
mod json_args;
mod keys;
mod links;
mod record_rows;
mod records;
mod references;
mod sched;
mod slices;
mod sources;
mod tasks;
mod texts;
mod track_type;
mod tracks;
mod views;
mod words;

pub(crate) use column::{Affinity, Cell, Column, Kind, Table};
pub(crate) use data::Data;
pub use docs::reference;
pub(crate) use facts::FactValue;
pub(crate) use records::{RECORD_TABLES, RecordColumn};
pub(crate) use views::{VIEWS, View};

/// Every table, in the order of the reference.
pub(crate) const TABLES: &[&Table] = &[
    &slices::SLICE,
    &slices::FLOW,
    &slices::METHOD,
    &tracks::TRACK,
    &tracks::INTRINSIC_TRACK,
    &events::COUNTER,
    &sched::SCHED_SLICE,
    &sched::THREAD_STATE,
    &tasks::THREAD,
    &tasks::PROCESS,
    &sched::CPU,
    &events::FTRACE_EVENT,
    &events::ARGS,
    &heap_references::HEAP_GRAPH_REFERENCE,
    &sources::METADATA,
    &sources::STATS,
    &sources::REPAIR,
    &sources::SOURCE,
    &sources::TRACE_FILE,
    &sources::CLOCK_SNAPSHOT,
    &sources::TRACE_BOUNDS,
];

/// Perfetto's internal names of tables. Its standard library uses them.
pub(crate) const ALIASES: &[(&str, &Table)] = &[
    ("__intrinsic_clock_snapshot", &sources::CLOCK_SNAPSHOT),
    ("__intrinsic_counter", &events::COUNTER),
    ("__intrinsic_cpu", &sched::CPU),
    ("__intrinsic_flow", &slices::FLOW),
    ("__intrinsic_ftrace_event", &events::FTRACE_EVENT),
    (
        "__intrinsic_heap_graph_reference",
        &heap_references::HEAP_GRAPH_REFERENCE,
    ),
    ("__intrinsic_metadata", &sources::METADATA),
    ("__intrinsic_process", &tasks::PROCESS),
    ("__intrinsic_sched_slice", &sched::SCHED_SLICE),
    ("__intrinsic_slice", &slices::SLICE),
    ("__intrinsic_stats", &sources::STATS),
    ("__intrinsic_thread", &tasks::THREAD),
    ("__intrinsic_thread_state", &sched::THREAD_STATE),
];
