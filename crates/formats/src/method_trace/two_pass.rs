//! Reads traces in two passes, either because the meaning of the records is given at their end, or
//! because wall time has to be computed from CPU times.

use traceloom_trace::{
    MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place,
    RepairKind, ThreadIndex,
};

use super::clocks::{Rebuild, Switches};
use super::header;
use super::key::Keys;
use super::parser::{Hints, Parser};
use super::v2_header;
use crate::error::ReadError;

/// Reads a trace twice: the first pass finds the meaning of the records, the second feeds `sink`.
///
/// # Errors
/// The errors of [`Parser::consume`].
pub(super) fn read(input: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
    let first_guess = Hints {
        clocks: MethodClocks {
            wall: false,
            cpu: true,
        },
        unit_ns: 1,
    };
    let mut first = FirstPass::default();
    Parser::with_hints(first_guess).read_whole(input, &mut first)?;
    let hints = first.hints();
    let parser = Parser::with_hints(hints);
    if hints.clocks.wall {
        return parser.read_whole(input, sink);
    }
    let mut halves_ns = first.switches.halves_ns;
    if first.is_packets && !first.is_b {
        halves_ns
            .iter_mut()
            .for_each(|half| *half = half.wrapping_mul(hints.unit_ns));
    }
    parser.read_whole(input, &mut Rebuild::new(sink, halves_ns))
}

/// Collects what the second pass needs.
#[derive(Default)]
struct FirstPass {
    switches: Switches,
    keys: Keys,
    version: u16,
    start: i64,
    one_time: bool,
    is_packets: bool,
    is_b: bool,
}

impl FirstPass {
    /// The facts for the second pass.
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

impl MethodEvents for FirstPass {
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
