//! What atrace prints, taken apart while it comes.

use crate::agent::{PartKind, Sink};
use crate::error::{CaptureError, Result};
use crate::text::{BEGIN, TraceText};

/// How much of what atrace says before a trace is kept for messages, bytes.
const MOST_SAID: usize = 4096;

/// What atrace prints: progress and complaints, noise of adb, then the trace.
#[derive(Default)]
pub(super) struct Received {
    said: Vec<u8>,
    trace: Option<TraceText>,
}

impl Received {
    pub(super) fn say(&mut self, bytes: &[u8]) {
        let room = MOST_SAID.saturating_sub(self.said.len());
        self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn pass(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<()> {
        if let Some(trace) = &mut self.trace {
            return unpack(trace, bytes, sink);
        }
        self.said.extend_from_slice(bytes);
        let found = self.said.windows(BEGIN.len()).position(|at| at == BEGIN);
        let Some(at) = found else {
            // It may be cut in the middle of the word; long noise before it is let go.
            let spare = self.said.len().saturating_sub(MOST_SAID);
            self.said.drain(..spare);
            return Ok(());
        };
        sink.begin(PartKind::SystemTrace, "atrace")
            .map_err(CaptureError::Sink)?;
        let begun = self.said.split_off(at);
        unpack(self.trace.insert(TraceText::default()), &begun, sink)
    }

    pub(super) fn finish(self) -> Result<()> {
        match self.trace {
            Some(trace) if trace.is_whole() => Ok(()),
            Some(_) => Err(CaptureError::Packed {
                reason: "it ends too early".to_owned(),
            }),
            None => Err(CaptureError::NoTraceData {
                said: String::from_utf8_lossy(&self.said).trim().to_owned(),
            }),
        }
    }
}

fn unpack(trace: &mut TraceText, bytes: &[u8], sink: &mut dyn Sink) -> Result<()> {
    let unpacked = trace.push(bytes, &mut |text| sink.data(text));
    unpacked.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => CaptureError::Packed {
            reason: error.to_string(),
        },
        _ => CaptureError::Sink(error),
    })
}

#[cfg(test)]
mod tests {
    use super::Received;
    use crate::agent::PartKind;
    use crate::kept::Kept;

    #[test]
    fn the_trace_begins_wherever_packets_end() {
        let sent = b"capturing trace... done\nTRACE:\n# tracer: nop\n TRACE: \n";
        for size in 1..sent.len() {
            let (mut received, mut kept) = (Received::default(), Kept::of(PartKind::SystemTrace));
            for piece in sent.chunks(size) {
                received.pass(piece, &mut kept).unwrap();
            }
            assert_eq!(kept.bytes, b"# tracer: nop\n TRACE: \n", "pieces of {size}");
            received.finish().unwrap();
        }
    }
}
