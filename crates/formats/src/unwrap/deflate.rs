//! A reader for one or several deflate streams: gzip, zlib, `atrace -z`.

use traceloom_trace::{Place, RepairKind};

use super::inflate::{Inflater, Outcome};
use super::inner::Inner;
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};

/// The format around the deflate stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrapping {
    /// zlib's header; one stream.
    Zlib,
    /// gzip's header; several members form one text (RFC 1952, 2.2).
    Gzip,
}

impl Wrapping {
    fn inflater(self) -> Inflater {
        match self {
            Self::Zlib => Inflater::zlib(),
            Self::Gzip => Inflater::gzip(),
        }
    }
}

enum State {
    Stream,
    /// After a stream: another member, padding or other data may follow.
    Between,
    /// The rest does not belong to the stream.
    After,
    Broken(String),
}

/// Decompresses streams and passes on the output. The output of a truncated stream is kept.
pub(crate) struct DeflateReader {
    format: &'static str,
    wrapping: Wrapping,
    state: State,
    inflater: Inflater,
    inner: Inner,
    packed: u64,
    trailing: u64,
}

impl DeflateReader {
    pub fn new(format: &'static str, wrapping: Wrapping, options: &ReadOptions) -> Self {
        Self {
            format,
            wrapping,
            state: State::Stream,
            inflater: wrapping.inflater(),
            inner: Inner::new(format, options),
            packed: 0,
            trailing: 0,
        }
    }

    /// Processes as much of `input` as the current state can; returns the number of bytes.
    fn step(&mut self, input: &[u8], out: &mut Target<'_>) -> Result<usize, ReadError> {
        match &mut self.state {
            State::Stream => {
                let (inner, packed) = (&mut self.inner, self.packed + input.len() as u64);
                let outcome = self
                    .inflater
                    .push(input, |piece| inner.unpacked(piece, packed, out))?;
                Ok(self.after_push(outcome, input.len()))
            }
            State::Between => Ok(self.between(input)),
            State::After | State::Broken(_) => {
                self.trailing += input.len() as u64;
                Ok(input.len())
            }
        }
    }

    fn after_push(&mut self, outcome: Outcome, pushed: usize) -> usize {
        let used = match outcome {
            Outcome::More => pushed,
            Outcome::End(used) => {
                self.state = State::Between;
                used
            }
            Outcome::Broken(reason) => {
                self.state = State::Broken(reason);
                pushed
            }
        };
        self.packed += used as u64;
        used
    }

    fn between(&mut self, input: &[u8]) -> usize {
        const GZIP: u8 = 0x1f;
        match (self.wrapping, input[0]) {
            (Wrapping::Gzip, GZIP) => {
                self.inflater.next_member();
                self.state = State::Stream;
                0
            }
            // Tapes and disk images are padded with zeros, which gzip also ignores.
            (Wrapping::Gzip, 0) => {
                self.packed += 1;
                1
            }
            _ => {
                self.state = State::After;
                0
            }
        }
    }

    fn nothing_came(&self) -> Option<ReadError> {
        if self.inner.given() > 0 {
            return None;
        }
        match &self.state {
            State::Broken(reason) => Some(ReadError::Compression {
                format: self.format,
                offset: 0,
                reason: reason.clone(),
            }),
            State::Stream => Some(ReadError::Truncated {
                format: self.format,
                inside: "the compressed data",
                offset: self.packed,
            }),
            State::Between | State::After => None,
        }
    }

    fn count_repairs(&self, out: &mut Target<'_>) {
        let place = Place::at_offset(self.inner.given());
        match &self.state {
            State::Stream => out.repair(RepairKind::TornRecord, 1, place, || {
                format!("the {} stream breaks off", self.format)
            }),
            State::Broken(reason) => out.repair(RepairKind::BrokenBlock, 1, place, || {
                format!("the {} stream is broken: {reason}", self.format)
            }),
            State::Between | State::After => {}
        }
        let trailing = Place::at_offset(self.packed);
        out.repair(RepairKind::TrailingBytes, self.trailing, trailing, || {
            format!("after the {} stream", self.format)
        });
    }
}

impl Reader for DeflateReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        // Small steps keep the ratio for the bomb guard accurate.
        const STEP: usize = 64 << 10;
        for mut rest in chunk.chunks(STEP) {
            while !rest.is_empty() {
                let used = self.step(rest, out)?;
                rest = &rest[used..];
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if let Some(error) = self.nothing_came() {
            return Err(error);
        }
        self.inner.finish(out)?;
        self.count_repairs(out);
        Ok(())
    }
}
