//! Separates the trace from the messages in the output of atrace.

use crate::adb::AdbError;
use crate::agent::{PartKind, Sink};
use crate::atrace_text::{AtraceText, HEADER};
use crate::error::{CaptureError, Result};
use crate::lost_lines::LostLines;

/// How many bytes of atrace's messages are kept.
const MAX_MESSAGE: usize = 4096;

/// The output of atrace: messages of atrace and adb, then the trace.
#[derive(Default)]
pub(super) struct TraceOutput {
    message: Vec<u8>,
    trace: Option<AtraceText>,
    lost: LostLines,
}

impl TraceOutput {
    /// Takes standard error.
    pub(super) fn push_message(&mut self, bytes: &[u8]) {
        let room = MAX_MESSAGE.saturating_sub(self.message.len());
        self.message
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Takes standard output and passes the trace in it to `sink`.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<()> {
        if let Some(trace) = &mut self.trace {
            return convert(trace, &mut self.lost, bytes, sink);
        }
        self.message.extend_from_slice(bytes);
        let found = self
            .message
            .windows(HEADER.len())
            .position(|at| at == HEADER);
        let Some(at) = found else {
            // Keep the end: it may have the first bytes of the header.
            let excess = self.message.len().saturating_sub(MAX_MESSAGE);
            self.message.drain(..excess);
            return Ok(());
        };
        sink.begin(PartKind::SystemTrace, "atrace")
            .map_err(CaptureError::Sink)?;
        let begun = self.message.split_off(at);
        let trace = self.trace.insert(AtraceText::default());
        convert(trace, &mut self.lost, &begun, sink)
    }

    /// Adds lines for the events in `dropped` (CPU and events) that the trace does not report itself.
    pub(super) fn add_losses(&mut self, dropped: &[(u32, u64)], sink: &mut dyn Sink) -> Result<()> {
        if self.trace.is_none() {
            return Ok(());
        }
        let lines = self.lost.missing(dropped);
        sink.data(lines.as_bytes()).map_err(CaptureError::Sink)
    }

    /// The error for a connection that was lost. If no trace has arrived, the device still has it.
    pub(super) fn lost(&self, error: AdbError) -> CaptureError {
        if self.trace.is_some() {
            error.into()
        } else {
            CaptureError::Abandoned(error)
        }
    }

    /// Checks that there is a trace and that it is complete.
    pub(super) fn finish(self) -> Result<()> {
        match self.trace {
            Some(trace) if trace.is_complete() => Ok(()),
            Some(_) => Err(CaptureError::DamagedCompression {
                reason: "it ends too early".to_owned(),
            }),
            None => Err(CaptureError::NoTraceData {
                message: String::from_utf8_lossy(&self.message).trim().to_owned(),
            }),
        }
    }
}

fn convert(
    trace: &mut AtraceText,
    lost: &mut LostLines,
    bytes: &[u8],
    sink: &mut dyn Sink,
) -> Result<()> {
    let converted = trace.push(bytes, &mut |text| {
        lost.push(text);
        sink.data(text)
    });
    converted.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => CaptureError::DamagedCompression {
            reason: error.to_string(),
        },
        _ => CaptureError::Sink(error),
    })
}

#[cfg(test)]
mod tests {
    use super::TraceOutput;
    use crate::agent::PartKind;
    use crate::test_sink::TestSink;

    #[test]
    fn the_trace_may_begin_anywhere_in_a_packet() {
        let sent = b"capturing trace... done\nTRACE:\n# tracer: nop\n TRACE: \n";
        for size in 1..sent.len() {
            let mut output = TraceOutput::default();
            let mut sink = TestSink::new(PartKind::SystemTrace);
            for chunk in sent.chunks(size) {
                output.push(chunk, &mut sink).unwrap();
            }
            assert_eq!(sink.bytes, b"# tracer: nop\n TRACE: \n", "chunks of {size}");
            output.finish().unwrap();
        }
    }
}
