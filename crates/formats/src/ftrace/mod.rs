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
use crate::format::{Confidence, Format, PART_BYTES, ReadOptions, Reader, Target, Writer};
use crate::format_id;
pub(crate) use interpret::Interpreter;
pub(crate) use marker::mark;
pub(crate) use piece::emptied;
pub(crate) use shapes::NO_SHAPE;
pub(crate) use tokenize::printed;
pub(crate) use typed::state_number;
pub use watch::FtraceLine;

/// ftrace text.
pub(crate) struct FtraceText;

impl Format for FtraceText {
    fn id(&self) -> &'static str {
        format_id::FTRACE
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

    /// Reads whole lines; `done` hears how many of their bytes are.
    fn read(&mut self, text: &[u8], out: &mut TraceBuilder, mut done: impl FnMut(usize)) {
        let (interpreter, spare) = (&mut self.interpreter, &mut self.spare);
        parallel::each_piece(text, self.threads, spare, |bytes, piece| {
            interpreter.piece(piece, out);
            done(bytes);
        });
    }

    fn flush_carry(&mut self, out: &mut TraceBuilder) {
        let carry = std::mem::take(&mut self.carry);
        self.read(&carry, out, |_| {});
        self.carry = carry;
        self.carry.clear();
    }

    /// Puts the line together that was broken before these bytes. Gives what follows it.
    fn mend<'c>(&mut self, chunk: &'c [u8], out: &mut TraceBuilder) -> &'c [u8] {
        if self.carry.is_empty() {
            return chunk;
        }
        let end = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |newline| newline + 1);
        let (line, rest) = chunk.split_at(end);
        self.carry.extend_from_slice(line);
        if line.ends_with(b"\n") {
            self.flush_carry(out);
        }
        rest
    }
}

impl Reader for FtraceReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        self.feed_parts(chunk, out, &mut |_| {})
    }

    fn feed_parts(
        &mut self,
        bytes: &[u8],
        out: &mut Target<'_>,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), ReadError> {
        let out = out.trace(format_id::FTRACE)?;
        out.add_source_bytes(bytes.len() as u64);
        let rest = self.mend(bytes, out);
        let whole = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
        // Parts rather than pieces: whoever listens has something to do each time. And a piece later, since
        // the next one looks for its first line in the last byte of the one before.
        let (mut read, mut last) = (bytes.len() - rest.len(), 0);
        self.read(&rest[..whole], out, |bytes| {
            read += std::mem::replace(&mut last, bytes);
            if read >= PART_BYTES {
                done(std::mem::take(&mut read));
            }
        });
        self.carry.extend_from_slice(&rest[whole..]);
        done(read + last + rest.len() - whole);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::FTRACE)?;
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

    /// Lines of events and, between them, so much else that they are long.
    fn long_text(bytes: usize) -> Vec<u8> {
        let comment = format!("# {}\n", "x".repeat(5000));
        let lines = (0..bytes / (comment.len() + LINE.len() + 1)).map(|n| {
            format!(
                "{comment}a-{} [000] .... 1.000001: cpu_idle: state=1 cpu_id=0\n",
                n + 1
            )
        });
        lines.collect::<String>().into_bytes()
    }

    #[test]
    fn parts_are_told_in_order_and_whole() {
        let text = long_text(PART_BYTES * 2 + 100_000);
        let (first, second) = text.split_at(12_345);
        for threads in [1, 3] {
            let mut reader = FtraceReader::new(&ReadOptions {
                threads,
                ..ReadOptions::default()
            });
            let mut builder = TraceBuilder::new();
            let mut out = Target::Trace(&mut builder);
            let mut told = Vec::new();
            for part in [first, second] {
                let done = &mut |bytes| told.push(bytes);
                assert!(reader.feed_parts(part, &mut out, done).is_ok());
            }
            assert!(reader.finish(&mut out).is_ok());
            assert_eq!(told.iter().sum::<usize>(), text.len());
            assert!(told.len() == 4 && told[1] >= PART_BYTES, "{told:?}");
            let lines = text
                .split(|&byte| byte == b'\n')
                .filter(|line| line.starts_with(b"a-"));
            assert_eq!(builder.finish().threads.len(), lines.count(), "{threads}");
        }
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
