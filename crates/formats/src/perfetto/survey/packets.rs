//! Processes the packets in file order: sequence states, clocks, and the content of each packet.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::TraceBuilder;

use super::super::clocks::{BOOTTIME, ClockId, Clocks, MONOTONIC};
use super::super::packet::{Packet, Packets, payload};
use super::super::sequence::{Sequences, State, StateId};
use super::super::source::{Source, Span};
use super::super::track_descriptor::{Thread, TrackDescriptors};
use super::super::translations::Translations;
use super::super::unpack::Unpacker;
use super::super::wire::Fields;
use super::item::{Bundle, Item, What};
use super::losses::Losses;
use crate::error::ReadError;
use crate::format::ReadOptions;

/// The maximum nesting depth of compressed packet blocks.
const MOST_NESTED: u32 = 4;

/// The maximum number of other machines that are distinguished.
const MOST_MACHINES: usize = 64;

/// The result of the first pass: everything that the second pass needs.
#[derive(Debug)]
pub(crate) struct Survey<'a> {
    pub source: Source<'a>,
    pub sequences: Sequences,
    pub clocks: Clocks,
    pub bundles: Vec<Bundle>,
    /// The tracks of track events.
    pub tracks: TrackDescriptors,
    pub items: Vec<Item>,
    /// The `FileDescriptorSet`s of extensions.
    pub extensions: Vec<Span>,
    pub translations: Translations,
    /// The `ModuleSymbols` and `DeobfuscationMapping`s, in file order.
    pub symbols: Vec<Span>,
    pub renamings: Vec<Span>,
    /// When tracing started (`tracing_started`): ns on the clock of the state, and the state.
    pub started: Option<(i64, StateId)>,
    /// The id of the machine that recorded: the machine of the first packet that is not a marker, as in Perfetto.
    pub recorder: u32,
    /// Whether it is known which machine recorded.
    has_recorder: bool,
    /// The ids of the other machines, in file order.
    pub machines: Vec<u32>,
    /// The clock number and the timestamp of the last packet that has a timestamp on a global clock.
    pub(super) last: Option<(u32, u64)>,
    /// The start of the range of interest, ns. Earlier track events are skipped.
    pub interest: Option<i64>,
    /// The time from which the data of each CPU of each machine is complete: the first bundle of the CPU, and the time
    /// on the bundle's clock.
    pub data_starts: BTreeMap<(u32, u32), (u32, Option<i64>)>,
    /// The number of track events with a negative timestamp.
    pub negative_times: u64,
    /// The number of streaming profiles with a negative timestamp.
    pub negative_profiles: u64,
    /// When the events of each CPU begin, ns on its clock, if recorded.
    pub begins: Vec<(ClockId, i64)>,
    /// The `DescriptorProto`s of kernel events without a message in Perfetto, by event number.
    pub generic_events: FxHashMap<u32, Span>,
    /// Whether the recording was configured to keep older events that were in the kernel's buffers when it began.
    pub keeps_older: bool,
    /// The CPUs of each machine that have a bundle.
    pub(super) cpus: FxHashSet<(u32, u32)>,
    unpacker: Unpacker,
    pub(super) losses: Losses,
}

impl<'a> Survey<'a> {
    /// Surveys a file.
    ///
    /// # Errors
    /// If compressed packets expand beyond the limits.
    pub fn new(file: &'a [u8], options: &ReadOptions) -> Result<Self, ReadError> {
        let mut survey = Self {
            source: Source::new(file),
            sequences: Sequences::default(),
            clocks: Clocks::default(),
            bundles: Vec::new(),
            tracks: TrackDescriptors::default(),
            items: Vec::new(),
            extensions: Vec::new(),
            translations: Translations::default(),
            symbols: Vec::new(),
            renamings: Vec::new(),
            started: None,
            recorder: 0,
            has_recorder: false,
            machines: Vec::new(),
            last: None,
            interest: None,
            data_starts: BTreeMap::new(),
            negative_times: 0,
            negative_profiles: 0,
            begins: Vec::new(),
            generic_events: FxHashMap::default(),
            keeps_older: false,
            cpus: FxHashSet::default(),
            unpacker: Unpacker::new(options),
            losses: Losses::default(),
        };
        survey.packets(file, Source::start(0), 0)?;
        survey.losses.without_start = survey.sequences.without_start();
        survey.sequences.settle();
        survey.items.shrink_to_fit();
        survey.bundles.shrink_to_fit();
        survey.tracks.settle();
        Ok(survey)
    }

    /// The number of a machine: 0 for the one that recorded, then counted in file order.
    pub fn machine(&self, raw: u32) -> i64 {
        let place = self.machines.iter().position(|known| *known == raw);
        place.map_or(0, |place| place as i64 + 1)
    }

    /// The state of an item.
    pub fn state_of(&self, item: &Item) -> State {
        let state = match item.what() {
            What::Packet(state) => state,
            What::Events(bundle) | What::Switches(bundle) | What::Wakings(bundle) => self
                .bundles
                .get(bundle as usize)
                .map_or(0, |bundle| bundle.state),
        };
        self.sequences.get(state)
    }

    /// Surveys the packets of a part.
    fn packets(&mut self, part: &[u8], start: Span, depth: u32) -> Result<(), ReadError> {
        let mut packets = Packets::new(part);
        for bytes in packets.by_ref() {
            self.packet(bytes, start.of(part, bytes), depth)?;
        }
        if let (end, true) = packets.end() {
            let rest = start.of(part, &part[end..]);
            self.losses.broken.add(self.source.offset(rest));
        }
        Ok(())
    }

    /// Lists the machine of a packet. The packets of the machine that recorded get the number 0.
    fn find_machine(&mut self, packet: &mut Packet<'_>) {
        let is_container = matches!(
            packet.payload,
            Some((payload::COMPRESSED | payload::ZSTD_COMPRESSED, _))
        );
        if !self.has_recorder && !packet.is_marker && !is_container {
            (self.recorder, self.has_recorder) = (packet.machine, true);
        }
        if packet.machine == self.recorder {
            packet.machine = 0;
        } else if packet.machine != 0
            && self.machines.len() < MOST_MACHINES
            && !self.machines.contains(&packet.machine)
        {
            self.machines.push(packet.machine);
        }
    }

    fn packet(&mut self, bytes: &[u8], span: Span, depth: u32) -> Result<(), ReadError> {
        let (mut packet, is_whole) = Packet::read(bytes);
        if !is_whole {
            self.losses.broken.add(self.source.offset(span));
        }
        self.find_machine(&mut packet);
        let locate = |inner: &[u8]| span.of(bytes, inner);
        if self.sequences.is_after_loss(&packet) {
            self.losses.after_loss.add(self.source.offset(span));
        }
        if !self.sequences.apply(&packet, locate) {
            self.losses.without_state.add(self.source.offset(span));
            return Ok(());
        }
        if packet.has_several {
            for content in packet.contents(bytes) {
                self.content(&mut packet, content, (bytes, span), depth)?;
            }
        } else if let Some(content) = packet.payload {
            self.content(&mut packet, content, (bytes, span), depth)?;
        }
        Ok(())
    }

    /// Surveys a content of a packet.
    fn content(
        &mut self,
        packet: &mut Packet<'_>,
        (number, content): (u32, &[u8]),
        (bytes, span): (&[u8], Span),
        depth: u32,
    ) -> Result<(), ReadError> {
        let place = span.of(bytes, content);
        match number {
            payload::COMPRESSED | payload::ZSTD_COMPRESSED if depth >= MOST_NESTED => {
                self.losses.broken.add(self.source.offset(span));
            }
            payload::COMPRESSED | payload::ZSTD_COMPRESSED => {
                self.compressed(number, content, span, depth)?;
            }
            payload::CLOCK_SNAPSHOT => {
                self.clocks
                    .snapshot(content, packet.sequence, packet.machine);
            }
            payload::TRANSLATION_TABLE => self.translations.add(content),
            payload::REMOTE_CLOCK_SYNC => {
                self.clocks.remote(content, packet.sequence, packet.machine);
            }
            payload::FTRACE_EVENTS => self.bundle(packet, content, place),
            payload::EXTENSIONS => self.extensions(content, place)?,
            _ => self.item(packet, number, content, span),
        }
        Ok(())
    }

    fn compressed(
        &mut self,
        number: u32,
        packed: &[u8],
        span: Span,
        depth: u32,
    ) -> Result<(), ReadError> {
        let offset = self.source.offset(span);
        let (unpacked, start) = self.unpacked(number, packed, offset)?;
        self.packets(&unpacked, start, depth + 1)
    }

    /// Decompresses the block at `offset` in the file into a new part.
    fn unpacked(
        &mut self,
        number: u32,
        packed: &[u8],
        offset: u64,
    ) -> Result<(Arc<Vec<u8>>, Span), ReadError> {
        let (unpacked, is_whole) = self.unpacker.unpack(number, packed)?;
        if !is_whole {
            self.losses.broken.add(offset);
        }
        let unpacked = Arc::new(unpacked);
        let part = self.source.add(Arc::clone(&unpacked), offset);
        Ok((unpacked, Source::start(part)))
    }

    /// Reads an `ExtensionDescriptor`.
    fn extensions(&mut self, content: &[u8], span: Span) -> Result<(), ReadError> {
        for field in Fields::new(content) {
            match field.number {
                1 => self.extensions.push(span.of(content, field.bytes())),
                2 => {
                    let offset = self.source.offset(span);
                    let (set, start) = self.unpacked(payload::EXTENSIONS, field.bytes(), offset)?;
                    self.extensions.push(start.of(&set, &set));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads information about other packets from a content.
    fn describe(&mut self, packet: &Packet<'_>, number: u32, content: &[u8], span: Span) {
        match number {
            payload::TRACK_DESCRIPTOR => {
                let bytes = self.source.get(span);
                self.tracks.add(packet, content, span.of(bytes, content));
                let thread = Fields::new(content).find(|field| field.number == 4);
                if let Some(thread) = thread {
                    self.thread(packet, thread.bytes(), span.of(bytes, thread.bytes()));
                }
            }
            payload::PROCESS_TREE => self.tracks.namespaces.tree(content, packet.machine),
            payload::THREAD_DESCRIPTOR => {
                let place = span.of(self.source.get(span), content);
                self.thread(packet, content, place);
            }
            payload::FTRACE_STATS => {
                const KEEPS_OLDER: u32 = 8;
                let mut fields = Fields::new(content);
                self.keeps_older |= fields.any(|field| field.number == KEEPS_OLDER && field.bool());
            }
            payload::RANGE_OF_INTEREST => {
                let start = Fields::new(content).find(|field| field.number == 1);
                let start_us = start.map(|start| start.int());
                self.interest = start_us
                    .map(|us| us.saturating_mul(1_000))
                    .or(self.interest);
            }
            _ => {}
        }
    }

    /// Adds a packet to the items. Packets without a timestamp are added only if their content does not need one.
    fn item(&mut self, packet: &mut Packet<'_>, number: u32, content: &[u8], span: Span) {
        self.describe(packet, number, content, span);
        let mut stamped = self.stamped(packet, number);
        let own = self.own_time(packet, number, content);
        if own.is_some() {
            self.pass_time(packet);
            (stamped.timestamp, stamped.clock) = (None, Some(MONOTONIC));
        }
        let default_clock = match number {
            payload::SERVICE_EVENT => BOOTTIME,
            _ => self.clocks.default_number(),
        };
        let bytes = self.source.file().len();
        let Some(state) = self.sequences.state(&stamped, default_clock, bytes) else {
            self.losses.too_many_states.add(self.source.offset(span));
            return;
        };
        let ts = match (own, stamped.timestamp) {
            (Some(own), _) => own,
            (None, Some(time)) => self.time(packet, self.sequences.get(state).clock, time),
            (None, None) => payload::is_timeless(number).then_some(i64::MIN),
        };
        let Some(ts) = ts else {
            self.losses.without_time.add(self.source.offset(span));
            return;
        };
        if number == payload::SERVICE_EVENT && is_start(content) {
            self.started.get_or_insert((ts, state));
        }
        let content = span.of(self.source.get(span), content);
        match number {
            payload::MODULE_SYMBOLS => self.symbols.push(content),
            payload::DEOBFUSCATION => self.renamings.push(content),
            _ => {}
        }
        self.items.push(Item::packet(ts, content, number, state));
    }

    /// Reads a `ThreadDescriptor` and makes it the thread of the packet's sequence.
    fn thread(&mut self, packet: &Packet<'_>, thread: &[u8], place: Span) {
        let reference_us = Thread::read(Fields::new(thread)).reference_us;
        self.sequences.set_thread(packet, place, reference_us);
    }

    /// Reports the losses.
    pub fn report_losses(&self, out: &mut TraceBuilder) {
        self.losses.report(out);
    }
}

/// Whether a `TracingServiceEvent` marks the start of tracing.
fn is_start(event: &[u8]) -> bool {
    const TRACING_STARTED: u32 = 2;
    Fields::new(event).any(|field| field.number == TRACING_STARTED && field.bool())
}
