//! Flows: arrows between slices, which events with the same number continue.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, SliceId, StringId, TraceBuilder};

/// The last slice of each flow.
#[derive(Debug, Default)]
pub(super) struct Flows {
    open: FxHashMap<u64, SliceId>,
}

impl Flows {
    /// A slice takes part in flows; some of them end there.
    pub fn slice(
        &mut self,
        slice: SliceId,
        through: &[u64],
        ending: &[u64],
        out: &mut TraceBuilder,
    ) {
        for &flow in through {
            if let Some(last) = self.open.insert(flow, slice) {
                arrow(last, slice, out);
            }
        }
        for flow in ending {
            if let Some(last) = self.open.remove(flow) {
                arrow(last, slice, out);
            }
        }
    }
}

fn arrow(slice_out: SliceId, slice_in: SliceId, out: &mut TraceBuilder) {
    if slice_out != slice_in {
        out.flow(FlowRow {
            slice_out,
            slice_in,
            name: StringId::NULL,
            trace_id: NO_NUMBER,
        });
    }
}
