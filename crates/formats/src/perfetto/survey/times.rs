//! The times of packets. Some contents have their own time.
//!
//! ```text
//! track event   timestamp_delta_us, else timestamp_absolute_us: on CLOCK_MONOTONIC. Else the packet's timestamp.
//! ```
//! Perfetto's `TokenizeTrackEventPacket` in `track_event_tokenizer.cc` has the same order.

use super::super::clocks::{ClockId, FIRST_OF_SEQUENCE};
use super::super::packet::{Packet, deltas_us, payload};
use super::super::wire::Fields;
use super::packets::Survey;

impl Survey<'_> {
    /// The packet with its effective timestamp. Profile packets without a timestamp get that of the previous packet. So
    /// do track descriptors, whose order numbers processes.
    pub(super) fn stamped<'p>(&self, packet: &Packet<'p>, number: u32) -> Packet<'p> {
        let mut stamped = *packet;
        let follows = payload::is_profile(number)
            || (number == payload::TRACK_DESCRIPTOR && packet.machine == 0);
        if let (None, Some((clock, time)), true) = (packet.timestamp, self.last, follows) {
            (stamped.timestamp, stamped.clock) = (Some(time), Some(clock));
        }
        stamped
    }

    /// The time inside a content, ns on `CLOCK_MONOTONIC`. Returns `None` if the content has no time, and `Some(None)`
    /// if its time is negative, or relative to a time that was lost.
    pub(super) fn own_time(
        &mut self,
        packet: &Packet<'_>,
        number: u32,
        content: &[u8],
    ) -> Option<Option<i64>> {
        match number {
            payload::TRACK_EVENT => self.event_time(packet, content),
            payload::STREAMING_PROFILE => Some(self.streaming_time(packet, content)),
            _ => None,
        }
    }

    /// The time of a packet on its clock, ns. The contents of a packet share it, because a read advances an
    /// incremental clock.
    pub(super) fn time(
        &mut self,
        packet: &mut Packet<'_>,
        clock: ClockId,
        time: u64,
    ) -> Option<i64> {
        if packet.read_ns.is_none() {
            packet.read_ns = self.clocks.read(clock, time);
            if packet.read_ns.is_some() && clock.number() < FIRST_OF_SEQUENCE {
                self.last = Some((clock.number(), time));
            }
        }
        packet.read_ns
    }

    /// Reads the packet's time even if its content has its own time, because each read advances an incremental clock.
    pub(super) fn pass_time(&mut self, packet: &mut Packet<'_>) {
        if let Some(time) = packet.timestamp {
            let default_clock = self.clocks.default_number();
            let clock = self.sequences.clock(packet, default_clock);
            self.time(packet, clock, time);
        }
    }

    /// The time inside a track event.
    fn event_time(&mut self, packet: &Packet<'_>, event: &[u8]) -> Option<Option<i64>> {
        let (mut delta, mut absolute) = (None, 0);
        for field in Fields::new(event) {
            match field.number {
                1 => delta = Some(field.int()),
                16 => absolute = field.int(),
                _ => {}
            }
        }
        let us = match delta {
            Some(delta) => self.sequences.relative_us(packet, delta),
            None if absolute != 0 => Some(absolute),
            None => return None,
        };
        let kept = us.filter(|us| *us >= 0);
        self.negative_times += u64::from(us != kept);
        Some(kept.map(|us| us.saturating_mul(1_000)))
    }

    /// The base of the relative timestamps in a streaming profile of Chrome, ns on `CLOCK_MONOTONIC`.
    fn streaming_time(&mut self, packet: &Packet<'_>, content: &[u8]) -> Option<i64> {
        let us = self.sequences.relative_us(packet, 0)?;
        let is_negative = us < 0 || self.pass_deltas(packet, content)?;
        self.negative_profiles += u64::from(is_negative);
        (us >= 0).then_some(us.saturating_mul(1_000))
    }

    /// Advances the time of a sequence by the deltas of a streaming profile. Stops if the time becomes negative, and
    /// returns whether it did.
    fn pass_deltas(&mut self, packet: &Packet<'_>, content: &[u8]) -> Option<bool> {
        for delta in deltas_us(content) {
            if self.sequences.relative_us(packet, delta)? < 0 {
                return Some(true);
            }
        }
        Some(false)
    }
}
