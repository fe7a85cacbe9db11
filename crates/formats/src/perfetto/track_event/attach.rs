//! Attaches further data to a slice: flows, lifecycles, stacks.

use traceloom_trace::{RowId, SliceId, TraceBuilder};

use super::event::{Event, SliceStack, kind};
use super::interpret::TrackEvents;

/// The extension of a `TrackEvent` with the render stages that it submits or waits for.
const GPU_CORRELATION: u32 = 3000;

impl<'s> TrackEvents<'s> {
    /// Attaches data to a new slice: the flows that waited for it, and everything that [`Self::attach`] adds.
    pub(super) fn begun(&mut self, slice: SliceId, event: &Event<'s>, out: &mut TraceBuilder) {
        self.flows.arrive(slice, out);
        self.attach(slice, event, out);
    }

    /// Adds an event's flows, lifecycle extensions and stack to its slice.
    pub(super) fn attach(&mut self, slice: SliceId, event: &Event<'s>, out: &mut TraceBuilder) {
        self.flows_of_slice(slice, event, out);
        for field in &event.others {
            let ts = out.trace().slices.ts.get(slice.row());
            self.lifecycles.field(ts, field, &mut self.args.types, out);
        }
        let mut others = event.others.iter();
        let gpu = others.find(|field| field.number == GPU_CORRELATION);
        self.gpu = gpu.map(|correlation| (slice, *correlation));
        let phase = event.legacy.map_or(0, |legacy| legacy.phase);
        self.stack = event.callstack.map(|callstack| SliceStack {
            slice,
            callstack,
            weight: event.callstack_weight,
            is_end: event.kind == kind::END || matches!(phase, b'E' | b'e' | b'F'),
        });
    }
}
