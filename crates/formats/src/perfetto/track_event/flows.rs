//! Flows: arrows between slices. Events with the same flow id continue a flow.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    FlowRow, NO_NUMBER, Place, RepairKind, RowId, SliceId, StringId, TraceBuilder, TrackId,
};

/// How a slice takes part in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The flow starts here. An id that is used again starts a new flow.
    Start,
    /// The flow passes through. If its start is not in the trace, it starts here.
    Step,
    /// The flow comes in, and does not continue from here. Other slices may still receive it from the slice where it
    /// last went out.
    Arrival,
    /// The flow ends. The id is free again.
    End,
}

impl Part {
    /// The part of a slice by `LegacyEvent.FlowDirection`.
    pub fn of_direction(direction: u64) -> Option<Self> {
        match direction {
            1 => Some(Self::Arrival),
            2 => Some(Self::Start),
            3 => Some(Self::Step),
            _ => None,
        }
    }
}

/// The last slice of each flow.
#[derive(Debug, Default)]
pub(super) struct Flows {
    open: FxHashMap<u64, SliceId>,
    /// Flows that arrive at the next slice of a track.
    arriving: FxHashMap<TrackId, Vec<u64>>,
    /// The number of flow events without a slice, id or direction.
    incomplete: u64,
}

impl Flows {
    /// Adds a slice to a flow. Ids that are derived and not in the input are not `numbered`.
    pub fn slice(
        &mut self,
        slice: SliceId,
        (flow, part): (u64, Part),
        is_numbered: bool,
        out: &mut TraceBuilder,
    ) {
        let last = match part {
            Part::Start => {
                self.open.insert(flow, slice);
                None
            }
            Part::Step => self.open.insert(flow, slice),
            Part::Arrival => self.open.get(&flow).copied(),
            Part::End => self.open.remove(&flow),
        };
        if let Some(last) = last {
            let trace_id = if is_numbered { flow as i64 } else { NO_NUMBER };
            arrow((last, slice), trace_id, out);
        }
    }

    /// Keeps a flow that arrives at the next slice of a track.
    pub fn arrives_next(&mut self, track: TrackId, flow: u64) {
        self.arriving.entry(track).or_default().push(flow);
    }

    /// Ends the flows that arrive at a new slice.
    pub fn arrive(&mut self, slice: SliceId, out: &mut TraceBuilder) {
        if self.arriving.is_empty() {
            return;
        }
        let track = out.trace().slices.track_id.get(slice.row());
        for flow in self.arriving.remove(&track).unwrap_or_default() {
            self.slice(slice, (flow, Part::Arrival), false, out);
        }
    }

    /// Counts a flow event that cannot be drawn.
    pub fn miss(&mut self) {
        self.incomplete += 1;
    }

    /// Reports flow events that did not become an arrow.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let waiting: usize = self.arriving.values().map(Vec::len).sum();
        let count = self.incomplete + waiting as u64;
        out.repair(RepairKind::SkippedEntry, count, Place::default(), || {
            "flow events without a slice, an id or a direction".to_owned()
        });
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
