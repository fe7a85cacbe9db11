//! The fields of a `TracePacket` (`protos/perfetto/trace/trace_packet.proto`).

use super::wire::{Field, Fields, Value, varint};

/// The field numbers of the packet contents.
pub(super) mod payload {
    pub const FTRACE_EVENTS: u32 = 1;
    pub const PROCESS_TREE: u32 = 2;
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const SYS_STATS: u32 = 7;
    pub const PROCESS_STATS: u32 = 9;
    pub const TRACK_EVENT: u32 = 11;
    pub const FTRACE_STATS: u32 = 34;
    pub const PROFILE: u32 = 37;
    pub const BATTERY: u32 = 38;
    pub const POWER_RAILS: u32 = 40;
    pub const PROCESS_DESCRIPTOR: u32 = 43;
    pub const THREAD_DESCRIPTOR: u32 = 44;
    pub const SYSTEM_INFO: u32 = 45;
    pub const TRIGGER: u32 = 46;
    pub const PACKAGES_LIST: u32 = 47;
    pub const COMPRESSED: u32 = 50;
    pub const GPU_COUNTERS: u32 = 52;
    pub const RENDER_STAGE: u32 = 53;
    pub const STREAMING_PROFILE: u32 = 54;
    pub const HEAP_GRAPH: u32 = 56;
    pub const GRAPHICS_FRAME: u32 = 57;
    pub const METATRACE: u32 = 49;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const MODULE_SYMBOLS: u32 = 61;
    pub const VULKAN_MEMORY: u32 = 62;
    pub const GPU_LOG: u32 = 63;
    pub const DEOBFUSCATION: u32 = 64;
    pub const VULKAN_API: u32 = 65;
    pub const PERF_SAMPLE: u32 = 66;
    pub const CPU_INFO: u32 = 67;
    pub const SMAPS: u32 = 68;
    pub const SERVICE_EVENT: u32 = 69;
    pub const DISPLAY_STATE: u32 = 70;
    pub const GPU_MEMORY: u32 = 71;
    pub const EXTENSIONS: u32 = 72;
    pub const FRAME_TIMELINE: u32 = 76;
    pub const ENERGY_BREAKDOWN: u32 = 77;
    pub const TRANSLATION_TABLE: u32 = 82;
    pub const SYSTEM_PROPERTIES: u32 = 86;
    pub const NETWORK_PACKET: u32 = 88;
    pub const RANGE_OF_INTEREST: u32 = 90;
    pub const ENTITY_STATES: u32 = 91;
    pub const NETWORK_BUNDLE: u32 = 92;
    pub const REMOTE_CLOCK_SYNC: u32 = 107;
    pub const CLONE_TRIGGER: u32 = 113;
    pub const BLUETOOTH: u32 = 114;
    pub const WAKELOCKS: u32 = 115;
    pub const APP_WAKELOCKS: u32 = 116;
    pub const TASK_STATE: u32 = 117;
    pub const GENERIC_CPU_FREQUENCY: u32 = 118;
    pub const CPU_PER_UID: u32 = 119;
    pub const TASK_RENAME: u32 = 120;
    pub const GENERIC_PROCESS_TREE: u32 = 122;
    pub const GPU_INFO: u32 = 128;
    pub const GPU_FREQUENCY: u32 = 129;
    pub const ART_METADATA: u32 = 131;
    pub const JOURNAL: u32 = 132;
    pub const ZSTD_COMPRESSED: u32 = 133;
    pub const SESSION: u32 = 134;
    pub const STACK_SAMPLE: u32 = 135;

    /// The content with the largest field number.
    const NEWEST: u32 = STACK_SAMPLE;

    /// Whether packets with this content belong to a profile.
    pub fn is_profile(number: u32) -> bool {
        matches!(
            number,
            PROFILE
                | STREAMING_PROFILE
                | HEAP_GRAPH
                | PERF_SAMPLE
                | SMAPS
                | ART_METADATA
                | STACK_SAMPLE
        )
    }

    /// Whether packets with this content are useful without a timestamp.
    pub fn is_timeless(number: u32) -> bool {
        !matches!(
            number,
            SYS_STATS
                | PROCESS_STATS
                | BATTERY
                | TRIGGER
                | CLONE_TRIGGER
                | SESSION
                | DISPLAY_STATE
                | SYSTEM_PROPERTIES
                | SERVICE_EVENT
                | GRAPHICS_FRAME
                | TRACK_EVENT
                | GPU_MEMORY
                | GPU_LOG
                | GPU_FREQUENCY
                | FRAME_TIMELINE
                | NETWORK_PACKET
                | NETWORK_BUNDLE
                | METATRACE
                | BLUETOOTH
                | WAKELOCKS
                | APP_WAKELOCKS
                | JOURNAL
                | CPU_PER_UID
                | TASK_STATE
                | GENERIC_CPU_FREQUENCY
                | PERF_SAMPLE
        )
    }

    /// Whether the field is a content that Perfetto defines. The other fields below its newest content describe the
    /// packet. Extensions are not read.
    pub fn is_defined(number: u32) -> bool {
        number <= NEWEST
            && !matches!(
                number,
                3 | 8 | 10 | 12 | 13 | 36 | 41 | 42 | 58 | 59 | 79 | 87 | 98
            )
    }

    /// Whether packets with this content are read, in addition to the contents that the second pass handles itself.
    pub fn is_read(number: u32) -> bool {
        matches!(
            number,
            TRACK_DESCRIPTOR
                | THREAD_DESCRIPTOR
                | SERVICE_EVENT
                | RANGE_OF_INTEREST
                | SYS_STATS
                | PROCESS_STATS
                | BATTERY
                | POWER_RAILS
                | DISPLAY_STATE
                | ENERGY_BREAKDOWN
                | SYSTEM_PROPERTIES
                | ENTITY_STATES
                | TASK_STATE
                | GENERIC_CPU_FREQUENCY
                | TASK_RENAME
                | GENERIC_PROCESS_TREE
        )
    }
}

/// The bits of `previous_packet_dropped` that say why packets are missing.
pub(super) const LOSS_REASONS: [(u32, &str); 8] = [
    (2, "read_gap"),
    (4, "chunk_corrupted"),
    (8, "orphan_continuation"),
    (16, "reassembly_gap"),
    (32, "reassembly_broken_chain"),
    (64, "overwrite"),
    (128, "writer_abort"),
    (256, "smb_full"),
];

/// Counts the reasons in a `previous_packet_dropped`.
pub(super) fn add_reasons(bits: u32, counts: &mut [u32; LOSS_REASONS.len()]) {
    for ((bit, _), count) in LOSS_REASONS.iter().zip(counts) {
        *count += u32::from(bits & bit != 0);
    }
}

/// The time of each sample of a `StreamingProfilePacket`, relative to the previous one, µs.
pub(super) fn deltas_us(packet: &[u8]) -> impl Iterator<Item = i64> + '_ {
    let deltas = Fields::new(packet).filter(|field| field.number == 2);
    deltas.flat_map(Field::numbers).map(|delta| delta as i64)
}

/// The packet resets the incremental state of its sequence.
const STATE_CLEARED: u64 = 1;

/// The packet needs the incremental state of its sequence.
const NEEDS_STATE: u64 = 2;

/// A packet with an undecoded payload.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packet<'a> {
    pub timestamp: Option<u64>,
    pub clock: Option<u32>,
    /// The sequence to which the packet belongs, 0 if none.
    pub sequence: u32,
    /// The machine that wrote the packet, 0 for the one that recorded.
    pub machine: u32,
    pub clears_state: bool,
    pub needs_state: bool,
    /// Whether packets of the sequence are missing before this one.
    pub after_loss: bool,
    /// The reasons for the loss, as bits. The lowest bit only means that packets are missing.
    pub loss_reasons: u32,
    /// Whether this is the first packet of its sequence.
    pub is_first: bool,
    /// Whether this is a marker for readers of files that are still being written.
    pub is_marker: bool,
    /// The process that wrote the packet, 0 if unknown.
    pub writer: i32,
    pub interned: Option<&'a [u8]>,
    pub defaults: Option<&'a [u8]>,
    /// The field number of the content, and the content. If there are several, this is the last one.
    pub payload: Option<(u32, &'a [u8])>,
    pub has_several: bool,
    /// The timestamp on its own clock, ns, once the survey has read it.
    pub read_ns: Option<i64>,
}

impl<'a> Packet<'a> {
    /// Reads a packet. Also returns whether it is complete.
    pub fn read(bytes: &'a [u8]) -> (Self, bool) {
        let mut packet = Packet::default();
        let mut fields = Fields::new(bytes);
        for field in fields.by_ref() {
            packet.field(field);
        }
        (packet, !fields.is_broken())
    }

    fn field(&mut self, field: Field<'a>) {
        match (field.number, field.value) {
            (8, Value::Number(timestamp)) => self.timestamp = Some(timestamp),
            (58, Value::Number(clock)) => self.clock = named_clock(clock),
            (10, Value::Number(sequence)) => self.sequence = sequence as u32,
            (98, Value::Number(machine)) => self.machine = machine as u32,
            (13, Value::Number(flags)) => {
                self.clears_state |= flags & STATE_CLEARED != 0;
                self.needs_state = flags & NEEDS_STATE != 0;
            }
            (41, Value::Number(cleared)) => self.clears_state |= cleared != 0,
            (42, Value::Number(reasons)) => {
                self.after_loss = reasons != 0;
                self.loss_reasons = reasons as u32;
            }
            (12, Value::Bytes(interned)) => self.interned = Some(interned),
            (59, Value::Bytes(defaults)) => self.defaults = Some(defaults),
            (87, Value::Number(is_first)) => self.is_first = is_first != 0,
            (79, Value::Number(writer)) => self.writer = writer as i32,
            (36, _) => self.is_marker = true,
            // Not used: the user who wrote the packet.
            (3 | 79 | 87, _) => {}
            (number, Value::Bytes(content)) => {
                self.has_several |= self.payload.is_some();
                self.payload = Some((number, content));
            }
            (_, Value::Number(_)) => {}
        }
    }

    /// The contents of a packet with several contents, in order: the first one in each field that Perfetto defines.
    /// Newer fields count only if there is nothing else. `bytes` is the packet.
    pub fn contents(&self, bytes: &'a [u8]) -> Vec<(u32, &'a [u8])> {
        let mut contents: Vec<(u32, &[u8])> = Vec::new();
        for field in Fields::new(bytes) {
            let is_new = || contents.iter().all(|(number, _)| *number != field.number);
            if let Value::Bytes(content) = field.value
                && payload::is_defined(field.number)
                && is_new()
            {
                contents.push((field.number, content));
            }
        }
        if contents.is_empty() {
            contents.extend(self.payload);
        }
        contents
    }
}

/// The clock of a `timestamp_clock_id`. 0 means that there is none.
pub(super) fn named_clock(id: u64) -> Option<u32> {
    Some(id as u32).filter(|clock| *clock != 0)
}

/// The packets (field 1) of a `Trace` message or of a block of compressed packets.
#[derive(Clone, Debug)]
pub(super) struct Packets<'a>(Fields<'a>);

impl<'a> Packets<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Fields::new(bytes))
    }

    /// The offset of the end of the packets, and whether a broken or incomplete packet follows.
    pub fn end(&self) -> (usize, bool) {
        (self.0.at(), self.0.is_broken())
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.0.find_map(|field| match field {
            Field {
                number: 1,
                value: Value::Bytes(packet),
            } => Some(packet),
            // Future versions of the message may have other fields.
            _ => None,
        })
    }
}

/// The largest field number of a `TracePacket`.
const MOST_FIELD: u32 = 1_999;

/// Whether the bytes look like a packet, that is, consist only of fields that a packet can have.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    let mut fields = Fields::new(bytes);
    let is_known =
        |field: Field<'_>| can_have(field.number, matches!(field.value, Value::Number(_)));
    fields.by_ref().all(is_known) && !fields.is_broken()
}

/// Whether a packet can have a field with this number and type.
fn can_have(number: u32, is_number: bool) -> bool {
    let of_number = matches!(number, 3 | 8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98);
    number <= MOST_FIELD && is_number == of_number
}

/// Whether the head of a file begins with a plausible packet that is longer than the head.
pub(super) fn begins_plausibly(head: &[u8]) -> bool {
    let mut at = 1;
    let Some(length) = varint(head, &mut at) else {
        return false;
    };
    let rest = head.get(at..).unwrap_or_default();
    let Some(key) = varint(rest, &mut 0) else {
        return false;
    };
    let number = u32::try_from(key >> 3).unwrap_or(u32::MAX);
    length > rest.len() as u64 && matches!(key & 7, 0 | 2) && can_have(number, key & 7 == 0)
}
