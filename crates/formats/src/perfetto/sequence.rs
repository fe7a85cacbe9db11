//! The state of each packet sequence: interned data, defaults, clock and thread.
//!
//! State changes in file order, but events are read in time order. So each event stores the [`StateId`] of the state
//! that was valid for its packet.

use rustc_hash::{FxHashMap, FxHashSet};

use super::clocks::ClockId;
use super::packet::{Packet, add_reasons, named_clock};
use super::source::Span;
use super::wire::{Fields, Value};

/// The index of a [`State`].
pub(super) type StateId = u32;

/// The number of states that any input may have, and the input bytes required for each further one. Sequences clear
/// their state every few seconds.
const MOST_STATES: usize = 4096;
const BYTES_FOR_STATE: usize = 64;

/// The sequence state that is needed to interpret a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub sequence: u32,
    pub machine: u32,
    /// Interned data belongs to a generation. A new generation begins when the sequence clears its state.
    pub generation: u32,
    /// `TracePacketDefaults`, empty if there are none.
    pub defaults: Span,
    /// The clock of the packet's timestamps.
    pub clock: ClockId,
    /// The `ThreadDescriptor` of the sequence, empty if there is none.
    pub thread: Span,
}

/// A packet sequence.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    generation: u32,
    defaults: Span,
    /// The clock that the defaults name.
    clock: Option<u32>,
    thread: Span,
    /// The last two different states. Packets on two clocks may alternate.
    recent: [Option<StateId>; 2],
    /// The base of relative timestamps: the time of the last event that had one, µs. There is none between a loss and
    /// the next `ThreadDescriptor`.
    last_us: Option<i64>,
    /// Whether the state is complete: it was cleared at least once and no packet was lost since.
    is_valid: bool,
    losses: SequenceLosses,
}

impl Sequence {
    /// A sequence whose state is not complete yet.
    fn new(generation: u32) -> Self {
        Self {
            generation,
            defaults: Span::default(),
            clock: None,
            thread: Span::default(),
            recent: [None; 2],
            last_us: None,
            is_valid: false,
            losses: SequenceLosses::default(),
        }
    }
}

/// The losses of a sequence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SequenceLosses {
    /// The number of packets that follow a loss.
    pub count: u32,
    /// How often each reason was recorded.
    pub reasons: [u32; 8],
    needed_state: u32,
    without_state: u32,
    /// Whether any packet cleared the state. Before the first such packet, there is no state.
    has_started: bool,
}

impl SequenceLosses {
    /// Whether none of the packets that need incremental state could be read.
    pub fn is_unreadable(&self) -> bool {
        self.without_state > 0 && self.without_state == self.needed_state
    }
}

/// All sequences, their states and their interned data.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    sequences: FxHashMap<(u32, u32), Sequence>,
    generations: u32,
    states: Vec<State>,
    /// The sequences whose first packet is in the input.
    from_first: FxHashSet<u32>,
    /// The messages of `InternedData`, by generation, field and iid. Sorted at the end of the survey.
    interned: Vec<((u32, u32, u64), Span)>,
}

impl Sequences {
    /// Whether packets were lost before this one. The first packet of a sequence also carries the loss flag, because
    /// earlier ones may have been overwritten. That is not counted as a loss.
    pub fn is_after_loss(&self, packet: &Packet<'_>) -> bool {
        packet.after_loss
            && self
                .sequences
                .contains_key(&(packet.machine, packet.sequence))
    }

    /// Applies a packet's changes to the state of its sequence. Returns false if the packet needs incremental state
    /// that is not complete, so that it cannot be read.
    pub fn apply(&mut self, packet: &Packet<'_>, locate: impl Fn(&[u8]) -> Span) -> bool {
        let is_after_loss = self.is_after_loss(packet);
        if packet.is_first {
            self.from_first.insert(packet.sequence);
        }
        let sequence = self.sequences.entry((packet.machine, packet.sequence));
        let sequence = sequence.or_insert_with(|| {
            self.generations += 1;
            Sequence::new(self.generations)
        });
        if packet.after_loss {
            (sequence.is_valid, sequence.last_us) = (false, None);
            add_reasons(packet.loss_reasons, &mut sequence.losses.reasons);
        }
        sequence.losses.count += u32::from(is_after_loss);
        if packet.clears_state {
            self.generations += 1;
            *sequence = Sequence {
                is_valid: true,
                losses: SequenceLosses {
                    has_started: true,
                    ..sequence.losses
                },
                // Events without a track still belong to this thread.
                thread: sequence.thread,
                ..Sequence::new(self.generations)
            };
        }
        if let Some(defaults) = packet.defaults {
            sequence.defaults = locate(defaults);
            let clock = Fields::new(defaults)
                .filter(|field| field.number == 58)
                .last();
            sequence.clock = clock.and_then(|field| named_clock(field.uint()));
        }
        let generation = sequence.generation;
        let is_readable = sequence.is_valid || !packet.needs_state;
        sequence.losses.needed_state += u32::from(packet.needs_state);
        sequence.losses.without_state += u32::from(!is_readable);
        if let Some(interned) = packet.interned {
            self.intern(generation, interned, locate);
        }
        is_readable
    }

    /// Stores the location of each interned message. A later message with the same iid replaces it.
    fn intern(&mut self, generation: u32, interned: &[u8], locate: impl Fn(&[u8]) -> Span) {
        for field in Fields::new(interned) {
            let Value::Bytes(message) = field.value else {
                continue;
            };
            // All interned messages have their iid in field 1.
            let iid = Fields::new(message).find(|field| field.number == 1);
            if let Some(iid) = iid {
                let key = (generation, field.number, iid.uint());
                self.interned.push((key, locate(message)));
            }
        }
    }

    /// Sets the thread of a sequence from its `ThreadDescriptor`. Relative timestamps of its events start at
    /// `reference_us`. Changes nothing before the sequence clears its state: then other events may be lost.
    pub fn set_thread(&mut self, packet: &Packet<'_>, thread: Span, reference_us: i64) {
        let sequence = self.sequences.get_mut(&(packet.machine, packet.sequence));
        if let Some(sequence) = sequence.filter(|sequence| sequence.is_valid) {
            (sequence.thread, sequence.last_us) = (thread, Some(reference_us));
        }
    }

    /// The time of a track event with a relative timestamp, µs. `delta_us` is relative to the previous such event.
    /// Returns `None` if that event may be lost.
    pub fn relative_us(&mut self, packet: &Packet<'_>, delta_us: i64) -> Option<i64> {
        let sequence = self.sequences.get_mut(&(packet.machine, packet.sequence))?;
        let us = sequence.last_us?.saturating_add(delta_us);
        sequence.last_us = Some(us);
        Some(us)
    }

    /// The clock of a packet's timestamp. `default_clock` is used if neither the packet nor its sequence sets a clock.
    pub fn clock(&self, packet: &Packet<'_>, default_clock: u32) -> ClockId {
        let sequence = self.sequences.get(&(packet.machine, packet.sequence));
        clock(packet, sequence.and_then(|it| it.clock), default_clock)
    }

    /// The state of a packet. `default_clock` is used if neither the packet nor its sequence sets a clock. Returns
    /// `None` if there are too many states for an input of this size.
    pub fn state(
        &mut self,
        packet: &Packet<'_>,
        default_clock: u32,
        input_bytes: usize,
    ) -> Option<StateId> {
        let key = (packet.machine, packet.sequence);
        let sequence = self.sequences.get_mut(&key)?;
        let state = State {
            sequence: packet.sequence,
            machine: packet.machine,
            generation: sequence.generation,
            defaults: sequence.defaults,
            clock: clock(packet, sequence.clock, default_clock),
            thread: sequence.thread,
        };
        let is_same = |id: &StateId| self.states.get(*id as usize) == Some(&state);
        if let Some(known) = sequence.recent.into_iter().flatten().find(is_same) {
            return Some(known);
        }
        if self.states.len() >= MOST_STATES + input_bytes / BYTES_FOR_STATE {
            return None;
        }
        let id = self.states.len() as StateId;
        sequence.recent = [Some(id), sequence.recent[0]];
        self.states.push(state);
        Some(id)
    }

    /// Sorts the interned messages at the end of the survey.
    pub fn settle(&mut self) {
        // The sort is stable, so the last message with a key remains the valid one.
        self.interned.sort_by_key(|(key, _)| *key);
        self.interned.shrink_to_fit();
    }

    /// Whether the first packet of a sequence is in the input.
    pub fn is_from_first(&self, sequence: u32) -> bool {
        self.from_first.contains(&sequence)
    }

    /// The losses of a sequence of the machine that recorded.
    pub fn losses(&self, sequence: u32) -> Option<SequenceLosses> {
        let sequence = self.sequences.get(&(0, sequence))?;
        Some(sequence.losses)
    }

    /// The number of packets that need state, in sequences without a packet that clears the state.
    pub fn without_start(&self) -> u64 {
        let losses = self.sequences.values().map(|sequence| sequence.losses);
        let never = losses.filter(|losses| !losses.has_started);
        never.map(|losses| u64::from(losses.without_state)).sum()
    }

    pub fn get(&self, id: StateId) -> State {
        self.states[id as usize]
    }

    /// The interned message with this iid in a field of `InternedData`.
    pub fn interned(&self, state: &State, field: u32, iid: u64) -> Option<Span> {
        let key = (state.generation, field, iid);
        let after = self.interned.partition_point(|(known, _)| *known <= key);
        let (known, span) = self.interned.get(after.checked_sub(1)?)?;
        (*known == key).then_some(*span)
    }
}

/// The clock of a packet, else of its sequence, else the default one.
fn clock(packet: &Packet<'_>, of_sequence: Option<u32>, default_clock: u32) -> ClockId {
    let number = packet.clock.or(of_sequence).unwrap_or(default_clock);
    ClockId::new(number, packet.sequence, packet.machine)
}
