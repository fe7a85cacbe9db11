//! Assembles `perf.data` files.

mod tiny;

pub use tiny::tiny_perf_data;

/// Fields of samples: bits of `sample_type`.
pub const PERF_IP: u64 = 1;
/// The process and the thread.
pub const PERF_TID: u64 = 1 << 1;
/// The time.
pub const PERF_TIME: u64 = 1 << 2;
/// The id of the event, after the time.
pub(crate) const PERF_ID_OF_SAMPLE: u64 = 1 << 6;
/// The branches before the sample.
pub const PERF_BRANCHES: u64 = 1 << 11;
/// Values of counters.
pub const PERF_READ: u64 = 1 << 4;
/// The stack.
pub const PERF_CHAIN: u64 = 1 << 5;
/// The CPU.
pub const PERF_CPU: u64 = 1 << 7;
/// The number of events since the last sample.
pub(crate) const PERF_PERIOD: u64 = 1 << 8;
/// The id of the event, as the first field.
pub const PERF_IDENTIFIER: u64 = 1 << 16;

/// An event: its type and configuration, what its samples have, and its ids.
#[derive(Clone, Debug, Default)]
pub struct PerfEvent {
    /// Hardware 0, software 1, tracepoint 2 …
    pub kind: u32,
    /// The number of the event.
    pub config: u64,
    /// The fields of samples.
    pub sample_type: u64,
    /// The form of values of counters.
    pub read_format: u64,
    /// Which branches samples have, and which numbers of them.
    pub branch_sample_type: u64,
    /// Whether other records have times.
    pub sample_id_all: bool,
    /// The ids.
    pub ids: Vec<u64>,
}

/// A file, as its parts.
#[derive(Clone, Debug, Default)]
pub struct PerfDataBytes {
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The events.
    pub events: Vec<PerfEvent>,
    /// The records.
    pub records: Vec<PerfRecord>,
    /// The features by number, in this order.
    pub features: Vec<(u8, PerfRecord)>,
}

/// The bytes of a record, or of a part without a header, in both byte orders.
#[derive(Clone, Debug, Default)]
pub struct PerfRecord {
    kind: u32,
    misc: u16,
    /// Numbers with their sizes, and texts.
    parts: Vec<Part>,
    after: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Part {
    U32(u32),
    U64(u64),
    Bytes(Vec<u8>),
}

impl PerfRecord {
    /// A record of this kind, with the mode of the CPU or other bits.
    pub fn new(kind: u32, misc: u16) -> Self {
        Self {
            kind,
            misc,
            ..Self::default()
        }
    }

    /// Adds numbers of 4 bytes.
    pub fn u32(mut self, numbers: &[u32]) -> Self {
        self.parts.extend(numbers.iter().copied().map(Part::U32));
        self
    }

    /// Adds numbers of 8 bytes.
    pub fn u64(mut self, numbers: &[u64]) -> Self {
        self.parts.extend(numbers.iter().copied().map(Part::U64));
        self
    }

    /// Adds bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.parts.push(Part::Bytes(bytes.to_vec()));
        self
    }

    /// Adds a text with NULs up to a multiple of 8 bytes.
    pub fn text(self, text: &str) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((text.len() + 1).next_multiple_of(8), 0);
        self.bytes(&bytes)
    }

    /// Adds a text after its length, as features have it.
    pub fn sized_text(self, text: &str) -> Self {
        let length = (text.len() + 1).next_multiple_of(64) as u32;
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(length as usize, 0);
        self.u32(&[length]).bytes(&bytes)
    }

    /// Bytes after the record that its size does not include.
    pub fn followed_by(mut self, bytes: &[u8]) -> Self {
        self.after = bytes.to_vec();
        self
    }

    /// The content without a header.
    pub fn payload(&self, big_endian: bool) -> Vec<u8> {
        let mut out = Writer {
            big_endian,
            bytes: Vec::new(),
        };
        for part in &self.parts {
            match part {
                Part::U32(number) => out.u32(*number),
                Part::U64(number) => out.u64(*number),
                Part::Bytes(bytes) => out.bytes.extend(bytes),
            }
        }
        out.bytes
    }

    /// The record with its header.
    pub fn to_bytes(&self, big_endian: bool) -> Vec<u8> {
        let payload = self.payload(big_endian);
        let mut out = Writer {
            big_endian,
            bytes: Vec::new(),
        };
        let size = payload.len() + 8;
        out.u32(self.kind);
        if self.kind >= 32768 {
            out.u16((size >> 16) as u16);
        } else {
            out.u16(self.misc);
        }
        out.u16(size as u16);
        out.bytes.extend(payload);
        out.bytes.extend(&self.after);
        out.bytes
    }
}

struct Writer {
    big_endian: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn u16(&mut self, number: u16) {
        let ordered = if self.big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        };
        self.bytes.extend(ordered);
    }

    fn u32(&mut self, number: u32) {
        let ordered = if self.big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        };
        self.bytes.extend(ordered);
    }

    fn u64(&mut self, number: u64) {
        let ordered = if self.big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        };
        self.bytes.extend(ordered);
    }
}

impl PerfEvent {
    /// `perf_event_attr` in its version of 112 bytes.
    fn attr(&self, out: &mut Writer) {
        const LENGTH: usize = 112;
        const BRANCHES_AT: usize = 72;
        let begin = out.bytes.len();
        out.u32(self.kind);
        out.u32(LENGTH as u32);
        out.u64(self.config);
        out.u64(1000);
        out.u64(self.sample_type);
        out.u64(self.read_format);
        let flags = u64::from(self.sample_id_all) << 18;
        // On big-endian machines, bit fields start at the most significant bit.
        out.u64(if out.big_endian {
            flags.reverse_bits()
        } else {
            flags
        });
        out.bytes.resize(begin + BRANCHES_AT, 0);
        out.u64(self.branch_sample_type);
        out.bytes.resize(begin + LENGTH, 0);
    }
}

impl PerfDataBytes {
    fn writer(&self) -> Writer {
        Writer {
            big_endian: self.big_endian,
            bytes: Vec::new(),
        }
    }

    fn magic(&self) -> &'static [u8] {
        if self.big_endian {
            b"2ELIFREP"
        } else {
            b"PERFILE2"
        }
    }

    fn data(&self) -> Vec<u8> {
        let records = self.records.iter();
        records
            .flat_map(|record| record.to_bytes(self.big_endian))
            .collect()
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        const HEADER: usize = 104;
        const ATTR: usize = 128;
        let mut out = self.writer();
        let data = self.data();
        let attrs_at = HEADER;
        let ids_at = attrs_at + ATTR * self.events.len();
        let ids: usize = self.events.iter().map(|event| 8 * event.ids.len()).sum();
        let data_at = ids_at + ids;
        out.bytes.extend(self.magic());
        for number in [
            HEADER,
            ATTR,
            attrs_at,
            ids_at - attrs_at,
            data_at,
            data.len(),
            0,
            0,
        ] {
            out.u64(number as u64);
        }
        let mut bits = [0u64; 4];
        for (number, _) in &self.features {
            bits[usize::from(number / 64)] |= 1 << (number % 64);
        }
        bits.into_iter().for_each(|bits| out.u64(bits));
        let mut next_ids = ids_at;
        for event in &self.events {
            event.attr(&mut out);
            out.u64(next_ids as u64);
            out.u64(8 * event.ids.len() as u64);
            next_ids += 8 * event.ids.len();
        }
        for id in self.events.iter().flat_map(|event| &event.ids) {
            out.u64(*id);
        }
        out.bytes.extend(data);
        self.features(&mut out);
        out.bytes
    }

    fn features(&self, out: &mut Writer) {
        let mut features: Vec<_> = self.features.iter().collect();
        features.sort_by_key(|(number, _)| *number);
        let mut at = out.bytes.len() + 16 * features.len();
        let contents = features
            .iter()
            .map(|(_, content)| content.payload(self.big_endian));
        let contents: Vec<_> = contents.collect();
        for content in &contents {
            out.u64(at as u64);
            out.u64(content.len() as u64);
            at += content.len();
        }
        contents
            .iter()
            .for_each(|content| out.bytes.extend(content));
    }

    /// The same as a stream: events and features are records.
    pub fn to_stream(&self) -> Vec<u8> {
        const HEADER_ATTR: u32 = 64;
        const HEADER_FEATURE: u32 = 80;
        let mut out = self.writer();
        out.bytes.extend(self.magic());
        out.u64(16);
        for event in &self.events {
            let mut attr = self.writer();
            event.attr(&mut attr);
            let record = PerfRecord::new(HEADER_ATTR, 0)
                .bytes(&attr.bytes)
                .u64(&event.ids);
            out.bytes.extend(record.to_bytes(self.big_endian));
        }
        for (number, content) in &self.features {
            let content = content.payload(self.big_endian);
            let record = PerfRecord::new(HEADER_FEATURE, 0).u64(&[(*number).into()]);
            out.bytes
                .extend(record.bytes(&content).to_bytes(self.big_endian));
        }
        out.bytes.extend(self.data());
        out.bytes
    }
}
