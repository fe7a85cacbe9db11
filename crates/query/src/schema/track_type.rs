//! The types of tracks under PerfettoSQL's names. Everything that depends on [`TrackKind`] is here and in `tracks`.

use traceloom_trace::{TrackKind, TrackRow};

/// Counters of the kernel that have a type of their own: their names here, and the type.
const COUNTERS: &[(&str, &str)] = &[
    ("cpufreq", "cpu_frequency"),
    ("cpuidle", "cpu_idle"),
    ("gpufreq", "gpu_frequency"),
    ("oom_score_adj", "oom_score_adj"),
    ("ScreenState", "screen_state"),
];

/// The type of a track.
pub(super) fn track_type(row: &TrackRow, name: &str) -> &'static str {
    match row.kind {
        TrackKind::Thread => "thread_execution",
        TrackKind::ThreadTrack => "thread_track_event",
        TrackKind::Process => "process_slice",
        TrackKind::ProcessTrack => "atrace_async_slice_for_track",
        TrackKind::ProcessAsync => "atrace_async_slice",
        TrackKind::Cpu => "cpu_slice",
        TrackKind::Global => "global_slice",
        kind => counter_type(kind, name),
    }
}

fn counter_type(kind: TrackKind, name: &str) -> &'static str {
    if let Some((_, found)) = COUNTERS.iter().find(|(known, _)| *known == name) {
        return found;
    }
    match kind {
        TrackKind::ThreadCounter => "thread_counter",
        TrackKind::ProcessCounter => "atrace_counter",
        TrackKind::CpuCounter => "cpu_counter",
        _ => "global_counter",
    }
}
