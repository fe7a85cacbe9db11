//! The front of a trace: key section and header, up to the body.

use traceloom_trace::{MethodClocks, MethodEvents, MethodTraceStart, RepairKind};

use super::header::{self, Header, truncated};
use super::key;
use super::parser::{Hints, Parser, Stage};
use super::records::Records;
use super::v2::Packets;
use super::v2_header::{self, Encoding};
use crate::error::ReadError;
use crate::format_id;

impl Parser {
    /// Reads the key section and the header; `None` if bytes are missing.
    pub(super) fn open(
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
                format: format_id::METHOD_TRACE,
                offset: (text + found) as u64,
            });
        }
        self.keys = key::read_keys(&input[..text]);
        self.streaming = version & header::STREAMING != 0;
        match version & !header::STREAMING {
            4 | 5 => self.open_packets(input, text, sink).map(Some),
            _ => self.open_records(input, text, eof, sink),
        }
    }

    fn open_packets(
        &mut self,
        input: &[u8],
        text: usize,
        sink: &mut dyn MethodEvents,
    ) -> Result<usize, ReadError> {
        let Some(header) = v2_header::Header::parse(&input[text..]) else {
            return Err(truncated("the binary header", input.len()));
        };
        self.one_time = !header.is_dual();
        let both = MethodClocks {
            wall: true,
            cpu: true,
        };
        // Only the summary gives the unit of encoding A, and the clock of a single time.
        let hints = match self.hints {
            Some(hints) if header.is_dual() => Hints {
                clocks: both,
                ..hints
            },
            Some(hints) => hints,
            None if header.is_b && header.is_dual() => Hints {
                clocks: both,
                unit_ns: 1,
            },
            None => {
                self.stage = Stage::Held(Vec::new());
                return Ok(0);
            }
        };
        let (encoding, name, start_unit_ns) = match (header.is_b, hints.unit_ns) {
            (true, _) => (
                Encoding::B {
                    frequency: header.frequency,
                },
                "b",
                1,
            ),
            (_, 1000) => (Encoding::A { unit_ns: 1000 }, "a1", 1000),
            (_, unit_ns) => (Encoding::A { unit_ns }, "a2", 1),
        };
        sink.start(&MethodTraceStart {
            version: header.version,
            encoding: name,
            clocks: hints.clocks,
            start_ns: self.start_ns(header.start, start_unit_ns, text as u64 + 6),
            record_bytes: 0,
        });
        if !hints.clocks.wall {
            let repairs = &mut self.emit.repairs;
            repairs.add(RepairKind::RebuiltTime, text as u64, String::new);
        }
        key::declare(&input[..text], 0, &mut self.emit, sink);
        self.stage = Stage::Packets(Packets::new(&header, encoding, hints.clocks));
        Ok(text + v2_header::HEADER_BYTES)
    }

    fn open_records(
        &mut self,
        input: &[u8],
        text: usize,
        eof: bool,
        sink: &mut dyn MethodEvents,
    ) -> Result<Option<usize>, ReadError> {
        let binary = &input[text..];
        let header = Header::parse(binary, text as u64)?;
        if binary.len() < header.data_offset {
            return if eof {
                Err(truncated("the binary header", input.len()))
            } else {
                Ok(None)
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

    /// The times in the records; `None` if the end of the trace must be read first.
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
        // At most half of the range, so that times relative to the start also fit.
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

    /// Declares the names in the key section, and counts the repairs that it mentions.
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
}

/// The version in the header, which must be at this position.
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
