//! The items that the survey lists.

use super::super::clocks::ClockId;
use super::super::sequence::StateId;
use super::super::source::Span;
use super::super::wire::{Field, Fields};

/// The kind of an [`Item`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// The content of one packet. The value is its state.
    Packet(StateId),
    /// Consecutive events of a bundle, in time order. The value is the bundle.
    Events(u32),
    /// The switches of a `CompactSched`. The value is the bundle.
    Switches(u32),
    /// The wakeups of a `CompactSched`. The value is the bundle.
    Wakings(u32),
}

/// A packet or a run of events with its timestamp. There is at least one per packet, so it is small.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub(crate) struct Item {
    /// The timestamp of the packet or the first event, ns. The survey stores it on its own clock. The timeline converts
    /// it to the trace's clock.
    pub ts: i64,
    pub span: Span,
    /// The field number of the packet's content.
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

    /// An item for the content of a packet, with its field number.
    pub fn packet(ts: i64, span: Span, number: u32, state: StateId) -> Self {
        Self {
            number,
            ..Self::new(ts, span, What::Packet(state))
        }
    }

    /// Whether it is a packet, not a run.
    pub fn is_packet(&self) -> bool {
        self.packed & ((1 << KIND_BITS) - 1) == 0
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

/// The timestamp of an `FtraceEvent`; 0 if it has none.
pub(super) fn event_time(event: &[u8]) -> i64 {
    let time = Fields::new(event).find(|field| field.number == 1);
    time.map_or(0, Field::int)
}
