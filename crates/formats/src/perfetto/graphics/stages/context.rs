//! GPU contexts.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

/// Adds a row to `__intrinsic_gpu_context`.
pub(super) fn context_row(id: u64, pid: Option<i64>, api: Option<u64>, out: &mut TraceBuilder) {
    let mut cells = vec![("context_id", ArgValue::Int(i64::from(id as u32)))];
    if let Some(pid) = pid {
        cells.push(("pid", ArgValue::Int(pid)));
    }
    if let Some(api) = api {
        let name = match api {
            1 => "OPEN_GL",
            2 => "VULKAN",
            3 => "OPEN_CL",
            4 => "CUDA",
            5 => "HIP",
            _ => "UNDEFINED",
        };
        cells.push(("api", ArgValue::Text(out.intern(name.as_bytes()))));
    }
    out.record(NO_TIME, "__intrinsic_gpu_context", &cells);
}
