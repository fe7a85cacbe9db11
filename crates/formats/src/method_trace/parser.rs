//! Parses a method trace. Its parts come in this order: key section, header, body, summary.

use traceloom_trace::{MethodClocks, MethodEvents, RepairKind};

use super::emit::Emitter;
use super::key::{self, Keys};
use super::records::Records;
use super::streaming::{self, Escape};
use super::v2::{Packets, Stop};
use crate::error::ReadError;

/// Facts about the records that some traces give only at their end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hints {
    /// The clocks in the records.
    pub clocks: MethodClocks,
    /// The unit of times in encoding A, ns.
    pub unit_ns: i64,
}

#[derive(Default)]
pub(super) enum Stage {
    /// Before the first record.
    #[default]
    Opening,
    /// Records, and names between them in a streaming trace.
    Records(Records, usize),
    /// Packets of a second encoding.
    Packets(Packets),
    /// The meaning of the records is given only at the end, so the whole input is kept until then.
    Held(Vec<u8>),
    /// Nothing more is expected.
    Ended,
}

/// Parses a trace whose bytes are passed in order.
#[derive(Default)]
pub(super) struct Parser {
    pub(super) stage: Stage,
    /// The position of the next bytes in the source.
    pub(super) at: u64,
    /// How far the key section has been searched for its end.
    pub(super) scanned: usize,
    pub(super) hints: Option<Hints>,
    pub(super) emit: Emitter,
    pub(super) keys: Keys,
    pub(super) streaming: bool,
    /// Whether records have room for only one time.
    pub(super) one_time: bool,
    pub(super) has_summary: bool,
    pub(super) ignored: u64,
}

impl Parser {
    /// A parser that is given the facts at the end of the trace.
    pub fn with_hints(hints: Hints) -> Self {
        Self {
            hints: Some(hints),
            ..Self::default()
        }
    }

    /// Reads the complete items at the beginning of `input`, which continues after the bytes
    /// consumed before. `eof` means that no more will come. Returns the number of bytes consumed.
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
            Stage::Packets(_) => self.packets(input, eof, sink),
        }
    }

    fn packets(&mut self, input: &[u8], eof: bool, sink: &mut dyn MethodEvents) -> usize {
        let Stage::Packets(packets) = &mut self.stage else {
            return 0;
        };
        let (mut used, said) = packets.run(input, self.at, &mut self.emit, sink);
        let (bytes, at) = (&input[used..], self.at + used as u64);
        match said {
            Stop::Short => return used,
            Stop::Summary { to, .. } if to > bytes.len() && !eof => return used,
            Stop::Summary { from, to } => used += self.summary(bytes, from, to, at, sink),
            Stop::Unknown(code) => self.emit.repairs.add(RepairKind::BrokenBlock, at, || {
                format!("packet of kind {code}; nothing after it can be read")
            }),
        }
        self.stage = Stage::Ended;
        self.ignored += (input.len() - used) as u64;
        input.len()
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
                        format!("code {code} in a streaming trace; nothing after it can be read")
                    });
                    self.stage = Stage::Ended;
                }
            }
        }
    }

    /// Reads the summary at `bytes[from..to]`, even if it is incomplete; returns where it ends.
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

    /// Reads a whole input at once.
    pub fn read_whole(
        mut self,
        input: &[u8],
        sink: &mut dyn MethodEvents,
    ) -> Result<(), ReadError> {
        let used = self.consume(input, true, sink)?;
        self.finish(&input[used..], sink);
        Ok(())
    }

    /// Removes and returns the input that was kept because this kind of file is read in two passes. `None` if nothing
    /// was kept.
    pub fn take_held(&mut self) -> Option<Vec<u8>> {
        match &mut self.stage {
            Stage::Held(held) => Some(std::mem::take(held)),
            _ => None,
        }
    }

    /// Ends the input; `rest` is the part that was not consumed.
    pub fn finish(&mut self, rest: &[u8], sink: &mut dyn MethodEvents) {
        self.note_end(rest);
        self.emit.finish(&self.keys.pairs, sink);
    }

    fn note_end(&mut self, rest: &[u8]) {
        let (repairs, records) = (&mut self.emit.repairs, self.emit.records);
        let cut = match &self.stage {
            Stage::Packets(packets) => packets.announced(),
            _ => 0,
        };
        if cut > rest.len() {
            repairs.add(RepairKind::TornRecord, self.at, || {
                format!("a packet lacks {} bytes", cut - rest.len())
            });
        }
        let announced = self.keys.get("num-method-calls");
        let announced = announced.and_then(|calls| calls.trim().parse::<u64>().ok());
        let complete = announced == Some(records);
        if self.ignored > 0 || (complete && !rest.is_empty()) {
            let bytes = self.ignored.max(rest.len() as u64);
            let at = self.at - self.ignored;
            repairs.add(RepairKind::TrailingBytes, at, || format!("{bytes} bytes"));
        } else if !rest.is_empty() && cut == 0 {
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
