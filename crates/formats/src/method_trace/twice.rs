//! Traces that are read twice: their end says what the records mean, or their time line needs a look
//! ahead.

use traceloom_trace::{
    MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place,
    RepairKind, ThreadIndex,
};

use super::clocks::{Rebuild, Switches};
use super::header;
use super::key::Keys;
use super::parser::Parser;
use super::v2_header;
use crate::error::ReadError;

/// What only the end of some traces tells about the records before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hints {
    /// The clocks in the records.
    pub clocks: MethodClocks,
    /// What a time of encoding A counts, ns.
    pub unit_ns: i64,
}

/// Reads a trace whose end says what its records mean, or whose time line needs a look ahead:
/// once to learn that, once for the consumer.
pub(super) fn read_twice(input: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
    let as_it_stands = Hints {
        clocks: MethodClocks {
            wall: false,
            cpu: true,
        },
        unit_ns: 1,
    };
    let mut look = Look::default();
    Parser::with_hints(as_it_stands).read_whole(input, &mut look)?;
    let hints = look.hints();
    let parser = Parser::with_hints(hints);
    if hints.clocks.wall {
        return parser.read_whole(input, sink);
    }
    let mut halves_ns = look.switches.halves_ns;
    if look.is_packets && !look.is_b {
        halves_ns
            .iter_mut()
            .for_each(|half| *half = half.wrapping_mul(hints.unit_ns));
    }
    parser.read_whole(input, &mut Rebuild::new(sink, halves_ns))
}

/// The first look at a trace that is read twice.
#[derive(Default)]
struct Look {
    switches: Switches,
    keys: Keys,
    version: u16,
    start: i64,
    one_time: bool,
    is_packets: bool,
    is_b: bool,
}

impl Look {
    /// What the second reading has to know.
    fn hints(&self) -> Hints {
        let (clocks, _) = header::clocks(&self.keys, self.version, self.one_time);
        let unit_ns = if self.keys.get("elapsed-time-nsec").is_some() {
            1
        } else if self.keys.get("elapsed-time-usec").is_some() {
            1000
        } else {
            v2_header::Header::likely_unit_ns(self.start.max(0) as u64)
        };
        Hints { clocks, unit_ns }
    }
}

impl MethodEvents for Look {
    fn start(&mut self, start: &MethodTraceStart) {
        self.is_packets = start.record_bytes == 0;
        self.is_b = start.encoding == "b";
        self.switches = Switches::new(if self.is_packets { 1 } else { 1000 });
        self.one_time = if self.is_packets {
            start.version & 0xF == 4
        } else {
            start.record_bytes < 14
        };
        self.version = start.version;
        self.start = start.start_ns;
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
