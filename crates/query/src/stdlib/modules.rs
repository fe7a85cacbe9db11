//! The list of the modules.

/// Declares the modules by the paths of their files.
macro_rules! modules {
    ($($name:literal from $file:literal,)*) => {
        &[$(($name, include_str!($file)),)*]
    };
}

/// Every module and its text.
pub(super) const MODULES: &[(&str, &str)] = modules! {
    "android.network_packets" from "android/network_packets.sql",
    "counters.intervals" from "counters/intervals.sql",
    "graphs.dominator_tree" from "graphs/dominator_tree.sql",
    "graphs.hierarchy" from "graphs/hierarchy.sql",
    "graphs.partition" from "graphs/partition.sql",
    "graphs.scan" from "graphs/scan.sql",
    "graphs.search" from "graphs/search.sql",
    "intervals.create_intervals" from "intervals/create_intervals.sql",
    "intervals.intersect" from "intervals/intersect.sql",
    "intervals.overlap" from "intervals/overlap.sql",
    "linux.cpu.frequency" from "linux/cpu/frequency.sql",
    "linux.cpu.idle" from "linux/cpu/idle.sql",
    "sched.latency" from "sched/latency.sql",
    "sched.runnable" from "sched/runnable.sql",
    "sched.states" from "sched/states.sql",
    "sched.thread_level_parallelism" from "sched/thread_level_parallelism.sql",
    "sched.with_context" from "sched/with_context.sql",
    "slices.cpu_time" from "slices/cpu_time.sql",
    "slices.flat_slices" from "slices/flat_slices.sql",
    "slices.flow" from "slices/flow.sql",
    "slices.hierarchy" from "slices/hierarchy.sql",
    "slices.self_dur" from "slices/self_dur.sql",
    "slices.stack" from "slices/stack.sql",
    "slices.time_in_state" from "slices/time_in_state.sql",
    "slices.with_context" from "slices/with_context.sql",
    "std.metasql.unparenthesize" from "std/metasql/unparenthesize.sql",
    "time.conversion" from "time/conversion.sql",
};
