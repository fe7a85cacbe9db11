//! ftrace text, as `/sys/kernel/tracing/trace`, `trace_pipe`, atrace, systrace, traceconv and
//! `trace-cmd report` print it.

mod columns;
mod digits;
mod eight;
pub(crate) mod event;
mod fields;
mod graph;
mod header;
mod interpret;
mod known;
mod line;
mod marker;
mod pack;
mod parallel;
mod piece;
mod shapes;
mod special;
mod tokenize;
mod typed;
mod watch;
pub(crate) mod write;

use std::sync::Arc;

use traceloom_trace::TraceBuilder;

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target, Writer};
pub(crate) use interpret::Interpreter;
pub(crate) use marker::mark;
pub(crate) use shapes::NO_SHAPE;
pub(crate) use tokenize::printed;
pub(crate) use typed::state_number;
pub use watch::FtraceLine;

/// ftrace text.
pub(crate) struct FtraceText;

const ID: &str = "ftrace";

impl Format for FtraceText {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "ftrace text (systrace, atrace, trace-cmd report)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        sniff(head)
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(FtraceReader::new(options)))
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::TextWriter)
    }
}

/// Looks for a line that only ftrace has, or for the header of an empty trace.
fn sniff(head: &[u8]) -> Confidence {
    const LINES: usize = 200;
    let mut confidence = Confidence::No;
    for (number, line) in head.split(|&byte| byte == b'\n').take(LINES).enumerate() {
        let text = line.trim_ascii();
        if tokenize::is_event_line(line) {
            return Confidence::Likely;
        }
        if text.starts_with(b"<!") || text.starts_with(b"<html") {
            return Confidence::No;
        }
        let tracer = text.starts_with(b"# tracer: ") && text.len() > 10;
        // trace-cmd begins with it; elsewhere such a line may stand in any file of settings.
        let trace_cmd = number == 0 && header::trace_cmd_version(text).is_some();
        if tracer || trace_cmd {
            confidence = Confidence::Maybe;
        }
    }
    confidence
}

/// Pushes text through the tokenizer into the interpreter. Lines that a chunk breaks are put
/// together.
struct FtraceReader {
    interpreter: Interpreter,
    carry: Vec<u8>,
    threads: usize,
    spare: parallel::Spare,
    process_dump: Option<Arc<Vec<u8>>>,
}

impl FtraceReader {
    fn new(options: &ReadOptions) -> Self {
        Self {
            interpreter: Interpreter::new(options.rules.clone()),
            carry: Vec::new(),
            threads: options.threads,
            spare: parallel::Spare::default(),
            process_dump: options.process_dump.clone(),
        }
    }

    fn read(&mut self, text: &[u8], out: &mut TraceBuilder) {
        let (interpreter, spare) = (&mut self.interpreter, &mut self.spare);
        parallel::each_piece(text, self.threads, spare, |piece| {
            interpreter.piece(piece, out);
        });
    }

    fn flush_carry(&mut self, out: &mut TraceBuilder) {
        let carry = std::mem::take(&mut self.carry);
        self.read(&carry, out);
        self.carry = carry;
        self.carry.clear();
    }
}

impl Reader for FtraceReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(ID)?;
        out.add_source_bytes(chunk.len() as u64);
        let mut rest = chunk;
        if !self.carry.is_empty() {
            let Some(newline) = memchr::memchr(b'\n', chunk) else {
                self.carry.extend_from_slice(chunk);
                return Ok(());
            };
            self.carry.extend_from_slice(&chunk[..=newline]);
            self.flush_carry(out);
            rest = &chunk[newline + 1..];
        }
        let whole = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
        self.read(&rest[..whole], out);
        self.carry.extend_from_slice(&rest[whole..]);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(ID)?;
        if !self.carry.is_empty() {
            self.flush_carry(out);
        }
        if let Some(dump) = &self.process_dump {
            crate::process_dump::read_process_dump(dump, out);
        }
        self.interpreter.finish(out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0";

    #[test]
    fn a_lock_file_with_a_version_is_no_trace() {
        let lock = b"# This file is generated.\nversion = 4\n\n[[package]]\nname = \"a\"\n";
        assert_eq!(sniff(lock), Confidence::No);
    }

    #[test]
    fn its_own_text_is_recognised() {
        for text in [
            format!("{LINE}\n"),
            format!("capturing trace... done\nTRACE:\n# tracer: nop\n#\n{LINE}\n"),
            format!("version = 6\ncpus=2\n{LINE}"),
            " 0)   0.541 us    |    getname();\n".to_owned(),
        ] {
            assert_eq!(sniff(text.as_bytes()), Confidence::Likely, "{text}");
        }
        assert_eq!(sniff(b"# tracer: nop\n#\n"), Confidence::Maybe);
    }

    #[test]
    fn text_of_other_formats_is_not() {
        let header = "# tracer: nop\\n".repeat(20);
        for text in [
            format!("{{\"systemTraceEvents\":\"{header}{LINE}\\n\"}}"),
            format!("<!DOCTYPE html>\n{LINE}\n"),
            "# tracer: \nCGROUP DUMP\n".to_owned(),
            "hello\nworld\n".to_owned(),
        ] {
            assert_eq!(sniff(text.as_bytes()), Confidence::No, "{text}");
        }
    }
}
