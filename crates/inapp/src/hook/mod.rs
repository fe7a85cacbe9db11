//! Catches what libraries write to the kernel's `trace_marker`.
