//! Names of enum values.

/// `StackSample.Mode`, whose numbers differ from `Profiling.CpuMode`.
pub(super) fn stack_mode(mode: u64) -> &'static str {
    match mode {
        1 => "user",
        2 => "kernel",
        3 => "hypervisor",
        4 => "guest_user",
        5 => "guest_kernel",
        _ => "",
    }
}

/// `Profiling.StackUnwindError`.
pub(super) fn unwind_error(error: u64) -> &'static str {
    match error {
        1 => "none",
        2 => "memory_invalid",
        3 => "unwind_info",
        4 => "unsupported",
        5 => "invalid_map",
        6 => "max_frames_exceeded",
        7 => "repeated_frame",
        8 => "invalid_elf",
        9 => "system_call",
        10 => "thread_timeout",
        11 => "thread_does_not_exist",
        12 => "bad_arch",
        13 => "maps_parse",
        14 => "invalid_parameter",
        15 => "ptrace_call",
        _ => "unknown",
    }
}

/// `PerfEvents.Counter`, under perf's names.
pub(super) fn perf_counter(counter: u64) -> &'static str {
    match counter {
        1 => "cpu-clock",
        2 => "page-faults",
        3 => "task-clock",
        4 => "context-switches",
        5 => "cpu-migrations",
        6 => "minor-faults",
        7 => "major-faults",
        8 => "alignment-faults",
        9 => "emulation-faults",
        10 => "cpu-cycles",
        11 => "instructions",
        12 => "cache-references",
        13 => "cache-misses",
        14 => "branch-instructions",
        15 => "branch-misses",
        16 => "bus-cycles",
        17 => "stalled-cycles-frontend",
        18 => "stalled-cycles-backend",
        19 => "ref-cycles",
        20 => "dummy",
        _ => "unknown",
    }
}

/// The unit of a perf counter.
pub(super) fn perf_unit(counter: u64) -> &'static str {
    match counter {
        1 | 3 => "ns",
        10 | 16 | 19 => "cycles",
        11 => "instructions",
        _ => "count",
    }
}

/// `StackSample.Unit`.
pub(super) fn stack_unit(unit: u64) -> &'static str {
    match unit {
        1 => "ns",
        2 => "cycles",
        3 => "instructions",
        4 => "bytes",
        5 => "page-faults",
        6 => "cache-misses",
        7 => "cache-references",
        8 => "branch-misses",
        9 => "count",
        _ => "",
    }
}

/// `HeapGraphRoot.Type`.
pub(super) fn root_type(root: u8) -> &'static str {
    match root {
        1 => "ROOT_JNI_GLOBAL",
        2 => "ROOT_JNI_LOCAL",
        3 => "ROOT_JAVA_FRAME",
        4 => "ROOT_NATIVE_STACK",
        5 => "ROOT_STICKY_CLASS",
        6 => "ROOT_THREAD_BLOCK",
        7 => "ROOT_MONITOR_USED",
        8 => "ROOT_THREAD_OBJECT",
        9 => "ROOT_INTERNED_STRING",
        10 => "ROOT_FINALIZING",
        11 => "ROOT_DEBUGGER",
        12 => "ROOT_REFERENCE_CLEANUP",
        13 => "ROOT_VM_INTERNAL",
        14 => "ROOT_JNI_MONITOR",
        _ => "ROOT_UNKNOWN",
    }
}

/// `HeapGraphType.Kind`.
pub(super) fn class_kind(kind: u8) -> &'static str {
    match kind {
        1 => "KIND_NORMAL",
        2 => "KIND_NOREFERENCES",
        3 => "KIND_STRING",
        4 => "KIND_ARRAY",
        5 => "KIND_CLASS",
        6 => "KIND_CLASSLOADER",
        7 => "KIND_DEXCACHE",
        8 => "KIND_SOFT_REFERENCE",
        9 => "KIND_WEAK_REFERENCE",
        10 => "KIND_FINALIZER_REFERENCE",
        11 => "KIND_PHANTOM_REFERENCE",
        _ => "KIND_UNKNOWN",
    }
}

/// `HeapGraphObject.HeapType`; empty if it is unknown.
pub(super) fn heap_type(heap: u8) -> &'static str {
    match heap {
        1 => "HEAP_TYPE_APP",
        2 => "HEAP_TYPE_ZYGOTE",
        3 => "HEAP_TYPE_BOOT_IMAGE",
        _ => "",
    }
}
