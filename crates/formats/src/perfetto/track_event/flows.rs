//! Flows: arrows between slices. Events with the same flow id continue a flow.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, RowId, SliceId, StringId, TraceBuilder};

/// The last slice of each flow.
#[derive(Debug, Default)]
pub(super) struct Flows {
    open: FxHashMap<u64, SliceId>,
}

impl Flows {
    /// Adds a slice to flows. The flows in `ending` end at this slice.
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

    /// Adds a slice to a flow whose id is derived and not in the input.
    pub fn unnumbered(&mut self, slice: SliceId, flow: u64, out: &mut TraceBuilder) {
        if let Some(last) = self.open.insert(flow, slice) {
            arrow((last, slice), NO_NUMBER, out);
        }
    }
}

/// Adds an arrow between two slices. It points to the slice that began later. The order of the events may differ,
/// because end events have flows too.
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
