//! Classifies the members of the outermost object other than the events, by name.

/// The maximum number of members that are read. Real files have a dozen.
pub(super) const MOST_MEMBERS: usize = 1 << 14;

/// Whether systrace uses this name to embed an agent's data that shares the trace's threads and
/// clock.
pub(super) fn is_inner(key: &str) -> bool {
    matches!(
        key,
        "systemTraceEvents" | "androidProcessDump" | "cgroupDump" | "systraceController"
    )
}

/// Whether systrace or Telemetry uses this name to embed data with its own clock.
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
