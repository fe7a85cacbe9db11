//! Members of the outermost object beside the events, told apart by their names.

/// The most members that are read; real files have a dozen.
pub(super) const MOST_MEMBERS: usize = 1 << 14;

/// Names under which systrace embeds agents' data that shares the trace's threads and clock.
pub(super) fn is_inner(key: &str) -> bool {
    matches!(
        key,
        "systemTraceEvents" | "androidProcessDump" | "cgroupDump" | "systraceController"
    )
}

/// Names under which systrace and Telemetry embed data with a clock of its own.
pub(super) fn is_deferred(key: &str) -> bool {
    matches!(
        key,
        "atraceProcessDump" | "waltTrace" | "waltTraceEvents" | "powerTraceAsString"
    )
}

/// Whether the object with this key holds metadata of the trace.
pub(super) fn is_facts(key: &str) -> bool {
    matches!(key, "otherData" | "metadata")
}
