//! The stacks at the beginnings and ends of slices.

use traceloom_trace::{ArgValue, RowId, SliceId, TraceBuilder};

use super::rows::{Rows, add};

/// The stack at the beginning or the end of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackOfSlice {
    pub slice: SliceId,
    pub callsite: u32,
    pub weight: Option<f64>,
    pub is_end: bool,
}

/// Adds the stacks of slices.
pub(crate) fn slice_stacks(stacks: &[StackOfSlice], callsites: Rows, out: &mut TraceBuilder) {
    for stack in stacks {
        let track = out.trace().slices.track_id.get(stack.slice.row());
        let column = if stack.is_end {
            "end_callsite_id"
        } else {
            "callsite_id"
        };
        let cells = [
            ("slice_id", stack.slice.into()),
            ("track_id", track.into()),
            (column, callsites.cell(stack.callsite)),
            (
                "weight",
                stack.weight.map_or(ArgValue::Null, ArgValue::Float),
            ),
        ];
        add("__intrinsic_track_event_callstacks", cells, out);
    }
}
