//! The flows of track events: those of their slices, and Chrome's flow events of the phases `s`, `t` and `f`.

use traceloom_trace::{SliceId, TraceBuilder};

use super::event::{Event, Legacy};
use super::flows::Part;
use super::interpret::{At, TrackEvents};
use super::legacy::mixed;
use super::tracks::Use;

impl<'s> TrackEvents<'s> {
    /// A flow event. It binds to the innermost open slice of the thread. The end of a flow arrives at the next slice,
    /// unless it binds to the enclosing one.
    pub(super) fn flow(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        let Some(track) = self.legacy_track(at, event, legacy, Use::Instant, out) else {
            return;
        };
        let Some(id) = legacy.unscoped_id else {
            return self.flows.miss();
        };
        let category = at.names.category(event, &mut self.texts, out);
        let flow = mixed((id, at.name, category));
        let part = match legacy.phase {
            b's' => Part::Start,
            b't' => Part::Step,
            _ if legacy.binds_to_enclosing => Part::Arrival,
            _ => return self.flows.arrives_next(track, flow),
        };
        match out.open_slice(track) {
            Some(slice) => self.flows.slice(slice, (flow, part), false, out),
            None => self.flows.miss(),
        }
    }

    /// The flows through the slice of an event, in the order in which they apply.
    pub(super) fn flows_of_slice(
        &mut self,
        slice: SliceId,
        event: &Event<'s>,
        out: &mut TraceBuilder,
    ) {
        if let Some((id, direction)) = event.legacy.and_then(|legacy| legacy.bound_flow()) {
            match Part::of_direction(direction) {
                Some(part) => self.flows.slice(slice, (id, part), true, out),
                None => self.flows.miss(),
            }
        }
        for flow in &event.flows {
            self.flows.slice(slice, (*flow, Part::Step), true, out);
        }
        for flow in &event.ending_flows {
            self.flows.slice(slice, (*flow, Part::End), true, out);
        }
    }
}
