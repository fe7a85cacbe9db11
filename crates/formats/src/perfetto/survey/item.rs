//! What the survey finds.

use super::super::clocks::ClockId;
use super::super::sequence::StateId;
use super::super::source::Span;
use super::super::wire::{Field, Fields};

/// What an [`Item`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// The content of one packet, with its state.
    Packet(StateId),
    /// Consecutive events of a bundle, in order of time.
    Events(u32),
    /// The switches of a `CompactSched`, with the bundle.
    Switches(u32),
    /// The wake-ups of a `CompactSched`, with the bundle.
    Wakings(u32),
}

/// Something that happens at a time, or begins then. There is one for each packet, so it is small.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub(crate) struct Item {
    /// The time, ns; that of the first event if there are several. First on its own clock, later on the trace's.
    pub ts: i64,
    pub span: Span,
    /// The field of the packet that holds its content.
    pub number: u32,
    /// The index of the state or bundle, and two bits for the kind.
    packed: u32,
}

const KIND_BITS: u32 = 2;

impl Item {
    pub fn new(ts: i64, span: Span, what: What) -> Self {
        let (index, kind) = match what {
            What::Packet(state) => (state, 0),
            What::Events(bundle) => (bundle, 1),
            What::Switches(bundle) => (bundle, 2),
            What::Wakings(bundle) => (bundle, 3),
        };
        Self {
            ts,
            span,
            number: 0,
            packed: index << KIND_BITS | kind,
        }
    }

    /// The content of a packet, which is in this field.
    pub fn packet(ts: i64, span: Span, number: u32, state: StateId) -> Self {
        Self {
            number,
            ..Self::new(ts, span, What::Packet(state))
        }
    }

    pub fn what(&self) -> What {
        let index = self.packed >> KIND_BITS;
        match self.packed & ((1 << KIND_BITS) - 1) {
            0 => What::Packet(index),
            1 => What::Events(index),
            2 => What::Switches(index),
            _ => What::Wakings(index),
        }
    }
}

/// The events of one CPU in one packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundle {
    pub cpu: u32,
    /// The clock of its events.
    pub clock: ClockId,
    pub state: StateId,
}

/// The time of an `FtraceEvent`; 0 if it has none.
pub(super) fn event_time(event: &[u8]) -> i64 {
    let time = Fields::new(event).find(|field| field.number == 1);
    time.map_or(0, Field::int)
}
