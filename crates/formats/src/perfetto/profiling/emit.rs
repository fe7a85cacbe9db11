//! Writes the rows of heap profiles and heap graphs at the end of the trace.

use traceloom_trace::{ArgValue, TraceBuilder};

use super::art::{DumpStack, OutOfMemory};
use super::heap_graph::Head;
use super::heap_profile::{Allocation, Dump};
use crate::profile::{Rows, add, add_at, int, text, word};

/// Adds the heap profiles.
pub(super) fn heap_profiles(
    dumps: &[Dump],
    allocations: &[Allocation],
    callsites: Rows,
    out: &mut TraceBuilder,
) {
    for dump in dumps {
        let cells = [
            ("ts_end", ArgValue::Int(dump.end)),
            ("dur", ArgValue::Int(dump.end.saturating_sub(dump.start))),
            ("upid", dump.upid.into()),
            ("heap_name", text(dump.heap)),
        ];
        add_at(dump.start, "heap_profile", cells, out);
    }
    for row in allocations {
        let cells = [
            ("upid", row.upid.into()),
            ("heap_name", text(row.heap)),
            ("callsite_id", callsites.cell(row.callsite)),
            ("count", ArgValue::Int(row.count)),
            ("size", ArgValue::Int(row.size)),
        ];
        add_at(row.ts, "heap_profile_allocation", cells, out);
    }
}

/// Adds the rows of heap graphs, and those of the errors that caused them.
pub(super) fn graph_heads(
    heads: &[Head],
    errors: &[OutOfMemory],
    stacks: &[DumpStack],
    callsites: Rows,
    out: &mut TraceBuilder,
) -> Option<()> {
    let graphs = Rows::next(out).take(heads.len())?;
    for head in heads {
        let reason = if head.is_oome { "OOME" } else { "" };
        let cells = [
            ("upid", head.upid.into()),
            ("dump_reason", word(reason, out)),
            (
                "heap_size",
                head.heap_size.map_or(ArgValue::Null, ArgValue::Int),
            ),
            ("truncated", int(head.is_truncated.into())),
        ];
        add_at(head.ts, "heap_graph", cells, out);
    }
    for error in errors {
        let cells = [
            ("heap_graph_id", graphs.cell(error.graph)),
            ("allocation_size_bytes", int(error.allocation)),
            ("total_bytes_free", int(error.free)),
            ("free_bytes_until_oom", int(error.until_oom)),
            ("error_msg", text(error.message)),
        ];
        add("__intrinsic_heap_graph_java_oome_details", cells, out);
    }
    for stack in stacks {
        let cells = [
            ("heap_graph_id", graphs.cell(stack.graph)),
            ("utid", stack.utid.into()),
            ("callsite_id", callsites.cell(stack.callsite)),
        ];
        add("heap_graph_thread_callsite", cells, out);
    }
    Some(())
}
