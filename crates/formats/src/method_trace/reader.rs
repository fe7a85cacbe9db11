//! The reader: takes bytes in chunks of any size, and outputs events or tables.

use traceloom_trace::MethodEvents;

use super::interpret::Interpreter;
use super::parser::Parser;
use super::two_pass;
use crate::error::ReadError;
use crate::format::{Reader, Target};
use crate::format_id;

/// The minimum number of bytes that are added to a split item before it is parsed again.
const TOP_UP: usize = 4 << 10;

/// Reads a method trace. Complete items are read in place; only an item that is split between
/// chunks is copied.
#[derive(Default)]
pub(super) struct MethodReader {
    parser: Parser,
    carry: Vec<u8>,
    interpreter: Interpreter,
}

impl MethodReader {
    fn push(&mut self, chunk: &[u8], sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
        let mut rest = chunk;
        while !self.carry.is_empty() && !rest.is_empty() {
            let before = self.carry.len();
            let (top_up, behind) = rest.split_at(rest.len().min(TOP_UP.max(before)));
            self.carry.extend_from_slice(top_up);
            let used = self.parser.consume(&self.carry, false, sink)?;
            if used >= before {
                rest = &rest[used - before..];
                self.carry.clear();
            } else {
                self.carry.drain(..used);
                rest = behind;
            }
        }
        if !rest.is_empty() {
            let used = self.parser.consume(rest, false, sink)?;
            self.carry.extend_from_slice(&rest[used..]);
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn MethodEvents) -> Result<(), ReadError> {
        let carry = std::mem::take(&mut self.carry);
        let used = self.parser.consume(&carry, true, sink)?;
        match self.parser.take_held() {
            Some(held) => return two_pass::read(&held, sink),
            None => self.parser.finish(&carry[used..], sink),
        }
        Ok(())
    }
}

impl Reader for MethodReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        match out {
            Target::Methods(consumer) => self.push(chunk, *consumer),
            Target::Trace(builder) => {
                builder.add_source_bytes(chunk.len() as u64);
                let mut interpreter = std::mem::take(&mut self.interpreter);
                let result = self.push(chunk, &mut interpreter.on(builder));
                self.interpreter = interpreter;
                result
            }
            Target::Text(_) => out.trace(format_id::METHOD_TRACE).map(|_| ()),
        }
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        match out {
            Target::Methods(consumer) => self.end(*consumer),
            Target::Trace(builder) => {
                let mut interpreter = std::mem::take(&mut self.interpreter);
                self.end(&mut interpreter.on(builder))
            }
            Target::Text(_) => out.trace(format_id::METHOD_TRACE).map(|_| ()),
        }
    }
}
