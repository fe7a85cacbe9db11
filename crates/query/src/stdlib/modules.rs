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
    "counters.global_tracks" from "counters/global_tracks.sql",
    "counters.intervals" from "counters/intervals.sql",
    "graphs.dominator_tree" from "graphs/dominator_tree.sql",
    "graphs.hierarchy" from "graphs/hierarchy.sql",
    "graphs.partition" from "graphs/partition.sql",
    "graphs.scan" from "graphs/scan.sql",
    "graphs.search" from "graphs/search.sql",
    "intervals.create_intervals" from "intervals/create_intervals.sql",
    "intervals.fill_gaps" from "intervals/fill_gaps.sql",
    "intervals.intersect" from "intervals/intersect.sql",
    "intervals.overlap" from "intervals/overlap.sql",
    "linux.cpu.frequency" from "linux/cpu/frequency.sql",
    "linux.cpu.idle" from "linux/cpu/idle.sql",
    "linux.cpu.idle_stats" from "linux/cpu/idle_stats.sql",
    "linux.cpu.idle_time_in_state" from "linux/cpu/idle_time_in_state.sql",
    "linux.cpu.utilization.general" from "linux/cpu/utilization/general.sql",
    "linux.cpu.utilization.process" from "linux/cpu/utilization/process.sql",
    "linux.cpu.utilization.slice" from "linux/cpu/utilization/slice.sql",
    "linux.cpu.utilization.system" from "linux/cpu/utilization/system.sql",
    "linux.cpu.utilization.thread" from "linux/cpu/utilization/thread.sql",
    "linux.cpu.utilization.thread_cpu" from "linux/cpu/utilization/thread_cpu.sql",
    "sched.latency" from "sched/latency.sql",
    "sched.runnable" from "sched/runnable.sql",
    "sched.states" from "sched/states.sql",
    "sched.thread_executing_span" from "sched/thread_executing_span.sql",
    "sched.thread_executing_span_with_slice" from "sched/thread_executing_span_with_slice.sql",
    "sched.thread_level_parallelism" from "sched/thread_level_parallelism.sql",
    "sched.thread_state_flattened" from "sched/thread_state_flattened.sql",
    "sched.time_in_state" from "sched/time_in_state.sql",
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
    "viz.slices" from "viz/slices.sql",
};
