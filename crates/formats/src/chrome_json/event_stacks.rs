//! The stacks of events. `sf` is the innermost frame at the start of a slice, `esf` the one at its end.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, SliceId, StringId, TraceBuilder};

use super::event::Event;
use super::frames::Frames;
use super::rows::Row;
use crate::profile::{Rows, StackOfSlice, slice_stacks};

/// The frames at the begin and at the end of an event.
#[derive(Clone, Copy, Debug)]
struct Ends {
    begin: StringId,
    end: StringId,
}

/// A slice and the id of its frame. The frame is looked up at the end.
#[derive(Clone, Copy, Debug)]
struct Found {
    slice: SliceId,
    frame: StringId,
    is_end: bool,
}

/// The frames of events, and the slices that the events became.
#[derive(Debug, Default)]
pub(super) struct EventStacks {
    /// By the positions of the events in the file.
    events: FxHashMap<u32, Ends>,
    found: Vec<Found>,
}

/// The id of a frame in a field of an event.
pub(super) fn frame_of<'a>(event: &'a Event<'_>, wanted: &[u8]) -> Option<&'a [u8]> {
    let mut fields = event.others.iter();
    let (_, value) = fields.find(|(key, _)| &**key == wanted)?;
    value.text()
}

impl EventStacks {
    /// Keeps the frames of an event.
    pub fn hold(&mut self, event: &Event<'_>, sequence: u32, out: &mut TraceBuilder) {
        let mut id = |key| frame_of(event, key).map_or(StringId::NULL, |id| out.intern(id));
        let ends = Ends {
            begin: id(b"sf"),
            end: id(b"esf"),
        };
        if ends.begin != StringId::NULL || ends.end != StringId::NULL {
            self.events.insert(sequence, ends);
        }
    }

    /// An event became a slice or an instant.
    pub fn begin(&mut self, row: &Row, slice: SliceId) {
        if let Some(ends) = self.events.get(&row.sequence).copied() {
            self.add(slice, ends.begin, false);
            self.add(slice, ends.end, true);
        }
    }

    /// An event ended a slice. In an end event, `sf` and `esf` both mean the stack at the end.
    pub fn end(&mut self, row: &Row, slice: SliceId) {
        if let Some(Ends { begin, end }) = self.events.get(&row.sequence).copied() {
            let frame = if begin == StringId::NULL { end } else { begin };
            self.add(slice, frame, true);
        }
    }

    fn add(&mut self, slice: SliceId, frame: StringId, is_end: bool) {
        if frame != StringId::NULL {
            self.found.push(Found {
                slice,
                frame,
                is_end,
            });
        }
    }

    /// Adds the rows. If the file has no table of frames, the ids stay arguments of the events.
    pub fn finish(self, frames: &Frames<'_>, callsites: Option<Rows>, out: &mut TraceBuilder) {
        let stack = |found: &Found| {
            let id = out.trace().strings.get(found.frame);
            Some(StackOfSlice {
                slice: found.slice,
                callsite: frames.callsite(id.as_bytes())?,
                weight: None,
                is_end: found.is_end,
            })
        };
        let stacks: Vec<_> = self.found.iter().filter_map(stack).collect();
        let lost = self.found.len() - stacks.len();
        let lost = if frames.is_empty() { 0 } else { lost };
        out.repair(RepairKind::BadField, lost as u64, Place::default(), || {
            "an event whose stack frame is not there".to_owned()
        });
        if let Some(callsites) = callsites {
            slice_stacks(&stacks, callsites, out);
        }
    }
}
