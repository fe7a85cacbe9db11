//! Flows: arrows between slices, which events with the same number continue.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, RowId, SliceId, StringId, TraceBuilder};

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
                arrow((last, slice), flow as i64, out);
            }
        }
        for flow in ending {
            if let Some(last) = self.open.remove(flow) {
                arrow((last, slice), *flow as i64, out);
            }
        }
    }

    /// A slice takes part in a flow whose number is not the input's own.
    pub fn unnumbered(&mut self, slice: SliceId, flow: u64, out: &mut TraceBuilder) {
        if let Some(last) = self.open.insert(flow, slice) {
            arrow((last, slice), NO_NUMBER, out);
        }
    }
}

/// An arrow between two slices. It leads to the one that began later: ends of slices have flows, too.
fn arrow(slices: (SliceId, SliceId), trace_id: i64, out: &mut TraceBuilder) {
    let begin = |slice: SliceId| out.trace().slices.ts.get(slice.row());
    let (slice_out, slice_in) = match slices {
        (last, slice) if begin(last) > begin(slice) => (slice, last),
        in_order => in_order,
    };
    if slice_out != slice_in {
        out.flow(FlowRow {
            slice_out,
            slice_in,
            name: StringId::NULL,
            trace_id,
        });
    }
}
