//! The reader: passes complete lines through the tokenizer to the interpreter.

use std::sync::Arc;

use traceloom_trace::TraceBuilder;

use super::interpret::Interpreter;
use super::segments::each_batch;
use crate::error::ReadError;
use crate::format::{PART_BYTES, ReadOptions, Reader, Target, TextPart, TextParts};
use crate::format_id;
use crate::process_dump::read_process_dump;

/// Reads ftrace text. A line that is split between chunks is first joined.
pub(super) struct FtraceReader {
    interpreter: Interpreter,
    /// The start of an incomplete line.
    carry: Vec<u8>,
    threads: usize,
    process_dump: Option<Arc<Vec<u8>>>,
    /// Whether the consumer of text has received the begin of this text.
    has_begun: bool,
}

impl FtraceReader {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            interpreter: Interpreter::new(options.rules.clone()),
            carry: Vec::new(),
            threads: options.threads,
            process_dump: options.process_dump.clone(),
            has_begun: false,
        }
    }

    fn begin_events(&mut self, parts: &mut dyn TextParts) {
        if !std::mem::replace(&mut self.has_begun, true) {
            parts.begin_part(TextPart::Events);
        }
    }

    /// Reads complete lines. `done` is called with the number of bytes that are finished.
    fn read(&mut self, text: &[u8], out: &mut TraceBuilder, mut done: impl FnMut(usize)) {
        let interpreter = &mut self.interpreter;
        each_batch(text, self.threads, |bytes, batch| {
            interpreter.batch(batch, out);
            done(bytes);
        });
    }

    fn flush_carry(&mut self, out: &mut TraceBuilder) {
        let carry = std::mem::take(&mut self.carry);
        self.read(&carry, out, |_| {});
        self.carry = carry;
        self.carry.clear();
    }

    /// Completes the line that was split before `chunk`; returns the text after it.
    fn complete_line<'c>(&mut self, chunk: &'c [u8], out: &mut TraceBuilder) -> &'c [u8] {
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
        if let Target::Text(parts) = out {
            self.begin_events(*parts);
            for part in bytes.chunks(PART_BYTES) {
                parts.text(part);
                done(part.len());
            }
            return Ok(());
        }
        let out = out.trace(format_id::FTRACE)?;
        out.add_source_bytes(bytes.len() as u64);
        let rest = self.complete_line(bytes, out);
        let whole = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
        // Progress is reported in large parts, because the caller has work to do for each. It lags one segment behind,
        // because finding the first line of a segment needs the last byte of the segment before it.
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
        if let Target::Text(parts) = out {
            self.begin_events(*parts);
            return Ok(());
        }
        let out = out.trace(format_id::FTRACE)?;
        if !self.carry.is_empty() {
            self.flush_carry(out);
        }
        if let Some(dump) = &self.process_dump {
            read_process_dump(dump, out);
        }
        self.interpreter.finish(out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0";

    /// Lines of events, separated by so much other text that each pair is long.
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
            let mut has_begun = Vec::new();
            for part in [first, second] {
                let done = &mut |bytes| has_begun.push(bytes);
                assert!(reader.feed_parts(part, &mut out, done).is_ok());
            }
            assert!(reader.finish(&mut out).is_ok());
            assert_eq!(has_begun.iter().sum::<usize>(), text.len());
            assert!(
                has_begun.len() == 4 && has_begun[1] >= PART_BYTES,
                "{has_begun:?}"
            );
            let lines = text
                .split(|&byte| byte == b'\n')
                .filter(|line| line.starts_with(b"a-"));
            let found = builder.finish().real_threads().count();
            assert_eq!(found, lines.count(), "{threads}");
        }
    }
}
