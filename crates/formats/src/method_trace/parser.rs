//! From the first byte to the last: key section, header, body, end.

use traceloom_trace::{
    MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place,
    RepairKind, ThreadIndex,
};

use super::FORMAT;
use super::clocks::{Rebuild, Switches};
use super::emit::Emitter;
use super::header::{self, Header};
use super::key::{self, Keys};
use super::reader::truncated;
use super::records::Records;
use super::streaming::{self, Escape};
use crate::error::ReadError;

/// What only the end of some traces tells about the records before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hints {
    clocks: MethodClocks,
}

#[derive(Default)]
enum Stage {
    /// Before the first record.
    #[default]
    Opening,
    /// Records, and names between them in a streaming trace.
    Records(Records, usize),
    /// The meaning of the records stands at the end: the whole input is kept until then.
    Held(Vec<u8>),
    /// Nothing more is expected.
    Ended,
}

/// Reads a trace whose bytes it is handed in order.
#[derive(Default)]
pub(super) struct Parser {
    stage: Stage,
    /// Where the bytes handed in next stand in the source.
    at: u64,
    /// How far the end of the key section was searched for.
    scanned: usize,
    hints: Option<Hints>,
    emit: Emitter,
    keys: Keys,
    streaming: bool,
    /// Records have room for a single time.
    one_time: bool,
    has_summary: bool,
    ignored: u64,
}

impl Parser {
    fn with_hints(hints: Hints) -> Self {
        Self {
            hints: Some(hints),
            ..Self::default()
        }
    }

    /// Reads the whole items at the beginning of `input`, which goes on where the bytes consumed
    /// before ended. `eof`: no more will come.
    pub fn consume(
        &mut self,
        input: &[u8],
        eof: bool,
        sink: &mut dyn MethodEvents,
    ) -> Result<usize, ReadError> {
        let mut used = 0;
        if let Stage::Opening = self.stage {
            match self.open(input, eof, sink)? {
                Some(front) => used = front,
                None => return Ok(0),
            }
        }
        self.at += used as u64;
        let body = self.body(&input[used..], eof, sink);
        self.at += body as u64;
        Ok(used + body)
    }

    /// Reads key section and header; `None` where bytes are missing yet.
    fn open(
        &mut self,
        input: &[u8],
        eof: bool,
        sink: &mut dyn MethodEvents,
    ) -> Result<Option<usize>, ReadError> {
        let mut text = 0;
        if input.first() == Some(&b'*') {
            match key::end(input, &mut self.scanned) {
                Some(end) => text = end,
                None if eof => {
                    return Err(truncated("the key section (no *end line)", input.len()));
                }
                None => return Ok(None),
            }
        }
        let binary = &input[text..];
        if !eof && binary.len() < header::REENCODED_WINDOW {
            return Ok(None);
        }
        let version = known_version(binary, text)?;
        if let Some(found) = header::reencoded(binary) {
            return Err(ReadError::Reencoded {
                format: FORMAT,
                offset: (text + found) as u64,
            });
        }
        self.keys = key::read_keys(&input[..text]);
        self.streaming = version & header::STREAMING != 0;
        self.open_records(input, text, eof, sink)
    }

    fn open_records(
        &mut self,
        input: &[u8],
        text: usize,
        eof: bool,
        sink: &mut dyn MethodEvents,
    ) -> Result<Option<usize>, ReadError> {
        let binary = &input[text..];
        if binary.len() < Header::FIXED {
            return Err(truncated("the binary header", input.len()));
        }
        let header = Header::parse(binary, text as u64)?;
        if binary.len() < header.data_offset {
            return match eof {
                true => Err(truncated("the binary header", input.len())),
                false => Ok(None),
            };
        }
        let Some(clocks) = self.settle_clocks(&header) else {
            self.stage = Stage::Held(Vec::new());
            return Ok(Some(0));
        };
        sink.start(&MethodTraceStart {
            version: header.version,
            encoding: ["v1", "v2", "v3"][usize::from(header.plain_version().clamp(1, 3)) - 1],
            clocks,
            start_ns: self.start_ns(header.start_us, 1000, text as u64 + 8),
            record_bytes: header.record_bytes as u16,
        });
        self.front(&input[..text], &header, clocks, sink);
        self.stage = Stage::Records(Records::new(&header, clocks), header.tid_bytes());
        Ok(Some(text + header.data_offset))
    }

    /// Which times the records have; `None` where the end of the trace must be seen first.
    fn settle_clocks(&mut self, header: &Header) -> Option<MethodClocks> {
        self.one_time = !header.has_room_for_two();
        if let Some(hints) = self.hints {
            return Some(hints.clocks);
        }
        let (clocks, named) = header::clocks(&self.keys, header.version, self.one_time);
        let named_at_end = self.streaming && self.one_time && !named;
        (clocks.wall && !named_at_end).then_some(clocks)
    }

    fn start_ns(&mut self, start: u64, unit_ns: i64, at: u64) -> i64 {
        // Half of what fits, so that times since the start fit too.
        let fits = |ns: &i64| *ns <= i64::MAX / 2;
        let start_ns = i64::try_from(start)
            .ok()
            .and_then(|start| start.checked_mul(unit_ns));
        start_ns.filter(fits).unwrap_or_else(|| {
            let kind = RepairKind::BadField;
            self.emit
                .repairs
                .add(kind, at, || format!("start time {start}"));
            0
        })
    }

    /// Declares what the key section names, and counts what it admits.
    fn front(
        &mut self,
        text: &[u8],
        header: &Header,
        clocks: MethodClocks,
        sink: &mut dyn MethodEvents,
    ) {
        let repairs = &mut self.emit.repairs;
        if text.is_empty() && !header.is_streaming() {
            repairs.add(RepairKind::MissingKeySection, 0, String::new);
        }
        if let Some(version) = self
            .keys
            .version
            .filter(|version| *version != header.version)
        {
            repairs.add(RepairKind::BadField, 0, || {
                format!(
                    "version {version} in the key section, {} in the header",
                    header.version
                )
            });
        }
        if !clocks.wall {
            repairs.add(RepairKind::RebuiltTime, text.len() as u64, String::new);
        }
        key::declare(text, 0, &mut self.emit, sink);
    }

    fn body(&mut self, input: &[u8], eof: bool, sink: &mut dyn MethodEvents) -> usize {
        match &mut self.stage {
            Stage::Opening => 0,
            Stage::Held(held) => {
                held.extend_from_slice(input);
                input.len()
            }
            Stage::Ended => {
                self.ignored += input.len() as u64;
                input.len()
            }
            Stage::Records(..) => self.records(input, eof, sink),
        }
    }

    fn records(&mut self, input: &[u8], eof: bool, sink: &mut dyn MethodEvents) -> usize {
        let mut used = 0;
        loop {
            let Stage::Records(records, tid_bytes) = &mut self.stage else {
                self.ignored += (input.len() - used) as u64;
                return input.len();
            };
            let at = self.at + used as u64;
            let (count, escaped) = records.run(&input[used..], at, &mut self.emit, sink);
            used += count;
            if !escaped {
                return used;
            }
            let (bytes, at) = (&input[used..], self.at + used as u64);
            match streaming::escape(bytes, at, *tid_bytes, &mut self.emit, sink) {
                Escape::Short => return used,
                Escape::Declared(length) => used += length,
                Escape::Summary { to, .. } if to > bytes.len() && !eof => return used,
                Escape::Summary { from, to } => {
                    used += self.summary(bytes, from, to, at, sink);
                    self.stage = Stage::Ended;
                }
                Escape::Unknown(code) => {
                    self.emit.repairs.add(RepairKind::BrokenBlock, at, || {
                        format!("code {code} in a streaming trace; nothing behind it can be read")
                    });
                    self.stage = Stage::Ended;
                }
            }
        }
    }

    /// Reads the summary at `bytes[from..to]`, or what is there of it; returns where it ends.
    fn summary(
        &mut self,
        bytes: &[u8],
        from: usize,
        to: usize,
        at: u64,
        sink: &mut dyn MethodEvents,
    ) -> usize {
        if to > bytes.len() {
            self.emit.repairs.add(RepairKind::TornRecord, at, || {
                format!(
                    "a summary of {} bytes, {} are there",
                    to - from,
                    bytes.len() - from
                )
            });
        }
        let to = to.min(bytes.len());
        let text = &bytes[from..to];
        self.keys = key::read_keys(text);
        self.has_summary = true;
        key::declare(text, at + from as u64, &mut self.emit, sink);
        to
    }

    /// The input is over, and `rest` of it was not consumed.
    pub fn finish(&mut self, rest: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
        if let Stage::Held(held) = &mut self.stage {
            let held = std::mem::take(held);
            return read_twice(&held, sink);
        }
        self.note_end(rest);
        self.emit.finish(&self.keys.pairs, sink);
        Ok(())
    }

    fn note_end(&mut self, rest: &[u8]) {
        let (repairs, records) = (&mut self.emit.repairs, self.emit.records);
        let announced = self.keys.get("num-method-calls");
        let announced = announced.and_then(|calls| calls.trim().parse::<u64>().ok());
        let complete = announced == Some(records);
        if self.ignored > 0 || (complete && !rest.is_empty()) {
            let bytes = self.ignored.max(rest.len() as u64);
            let at = self.at - self.ignored;
            repairs.add(RepairKind::TrailingBytes, at, || format!("{bytes} bytes"));
        } else if !rest.is_empty() {
            repairs.add(RepairKind::TornRecord, self.at, || {
                format!("{} bytes of a record", rest.len())
            });
        }
        if let Some(calls) = announced.filter(|_| !complete) {
            repairs.add(RepairKind::CountMismatch, 0, || {
                format!("num-method-calls={calls}, but {records} records")
            });
        }
        if self.keys.get("data-file-overflow") == Some("true") {
            repairs.add(RepairKind::BufferOverflow, 0, || {
                "data-file-overflow=true".into()
            });
        }
        if self.one_time && self.keys.get("clock") == Some("dual") {
            repairs.add(RepairKind::BadField, 0, || {
                "clock=dual, but records with room for one time: taken as thread-cpu".into()
            });
        }
        if self.streaming && !self.has_summary {
            repairs.add(RepairKind::MissingSummary, self.at, String::new);
        }
    }
}

/// The version of the header that must stand here.
fn known_version(binary: &[u8], at: usize) -> Result<u16, ReadError> {
    if binary.is_empty() && at > 0 {
        return Err(truncated(
            "the binary data (is its .data file missing?)",
            at,
        ));
    }
    match header::peek_version(binary) {
        Some(version) if header::is_known(version) => Ok(version),
        None if header::MAGIC.starts_with(&binary[..binary.len().min(4)]) => {
            Err(truncated("the binary header", at + binary.len()))
        }
        _ => Err(header::no_header(binary, at as u64)),
    }
}

/// Reads a trace whose end says what its records mean, or whose time line needs a look ahead:
/// once to learn that, once for the consumer.
fn read_twice(input: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
    let cpu = MethodClocks {
        wall: false,
        cpu: true,
    };
    let mut look = Look {
        switches: Switches::new(1000),
        keys: Keys::default(),
        version: 0,
        one_time: false,
    };
    let as_it_stands = Hints { clocks: cpu };
    Parser::with_hints(as_it_stands).read_whole(input, &mut look)?;
    let (clocks, _) = header::clocks(&look.keys, look.version, look.one_time);
    let parser = Parser::with_hints(Hints { clocks });
    if clocks.wall {
        return parser.read_whole(input, sink);
    }
    parser.read_whole(input, &mut Rebuild::new(sink, look.switches.halves_ns))
}

impl Parser {
    fn read_whole(mut self, input: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
        let used = self.consume(input, true, sink)?;
        self.finish(&input[used..], sink)
    }
}

/// The first look at a trace that is read twice.
struct Look {
    switches: Switches,
    keys: Keys,
    version: u16,
    one_time: bool,
}

impl MethodEvents for Look {
    fn start(&mut self, start: &MethodTraceStart) {
        self.one_time = start.record_bytes > 0 && start.record_bytes < 14;
        self.version = start.version;
    }

    fn thread(&mut self, _: ThreadIndex, _: u32, _: &str) {}

    fn method(&mut self, _: MethodIndex, _: &MethodLine<'_>) {}

    fn events(&mut self, batch: &[MethodEvent]) {
        batch.iter().for_each(|event| self.switches.see(event));
    }

    fn repair(&mut self, _: RepairKind, _: u64, _: Place, _: String) {}

    fn finish(&mut self, key_section: &[(String, String)]) {
        self.keys.pairs = key_section.to_vec();
    }
}
