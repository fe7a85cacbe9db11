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
    /// At the end of a stream whose checksum is wrong: the remaining bytes of its trailer.
    Foot(usize),
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
    /// Complete streams whose output differs from the original data.
    damaged: u64,
    /// The first of them: the end of its output, and the reason.
    first_damage: Option<(u64, String)>,
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
            damaged: 0,
            first_damage: None,
        }
    }

    /// Processes as much of `input` as the current state can; returns the number of bytes.
    fn step(&mut self, input: &[u8], out: &mut Target<'_>) -> Result<usize, ReadError> {
        match &mut self.state {
            State::Stream => {
                let (inner, packed) = (&mut self.inner, self.packed + input.len() as u64);
                let before = self.inflater.used();
                let outcome = self
                    .inflater
                    .push(input, |piece| inner.unpacked(piece, packed, out))?;
                let used = self.inflater.used() - before;
                self.after_push(outcome);
                self.packed += used;
                Ok(used as usize)
            }
            State::Foot(left) => {
                let taken = (*left).min(input.len());
                self.state = match *left - taken {
                    0 => State::Between,
                    left => State::Foot(left),
                };
                self.packed += taken as u64;
                Ok(taken)
            }
            State::Between => Ok(self.between(input)),
            State::After | State::Broken(_) => {
                self.trailing += input.len() as u64;
                Ok(input.len())
            }
        }
    }

    fn after_push(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::More => {}
            Outcome::End(_) => self.state = State::Between,
            Outcome::Broken(reason) => self.broke(reason),
        }
    }

    /// Handles an error of the decoder. A wrong checksum or length is at the end of a stream, so the next stream can
    /// be read.
    fn broke(&mut self, reason: String) {
        const LENGTH: usize = 4;
        let is_sum = reason.contains("incorrect data check");
        if !is_sum && !reason.contains("incorrect length check") {
            self.state = State::Broken(reason);
            return;
        }
        self.damaged += 1;
        let place = self.inner.given();
        self.first_damage.get_or_insert((place, reason));
        // Only gzip has the length of the output after the checksum.
        self.state = match self.wrapping {
            Wrapping::Gzip if is_sum => State::Foot(LENGTH),
            _ => State::Between,
        };
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
        let broken = |reason: &String| ReadError::Compression {
            format: self.format,
            offset: 0,
            reason: reason.clone(),
        };
        if let Some((_, reason)) = &self.first_damage {
            return Some(broken(reason));
        }
        match &self.state {
            State::Broken(reason) => Some(broken(reason)),
            State::Stream => Some(ReadError::Truncated {
                format: self.format,
                inside: "the compressed data",
                offset: self.packed,
            }),
            State::Foot(_) | State::Between | State::After => None,
        }
    }

    fn count_damage(&self, out: &mut Target<'_>) {
        let Some((end, reason)) = &self.first_damage else {
            return;
        };
        let place = Place::at_offset(*end);
        out.repair(RepairKind::BrokenBlock, self.damaged, place, || {
            format!("the {} stream is damaged: {reason}", self.format)
        });
    }

    fn count_repairs(&self, out: &mut Target<'_>) {
        self.count_damage(out);
        let place = Place::at_offset(self.inner.given());
        match &self.state {
            State::Stream => out.repair(RepairKind::TornRecord, 1, place, || {
                format!("the {} stream breaks off", self.format)
            }),
            State::Broken(reason) => out.repair(RepairKind::BrokenBlock, 1, place, || {
                format!("the {} stream is broken: {reason}", self.format)
            }),
            State::Foot(_) | State::Between | State::After => {}
        }
        let trailing = Place::at_offset(self.packed);
        let is_broken = matches!(self.state, State::Broken(_));
        let after = if is_broken { "the damage in " } else { "" };
        out.repair(RepairKind::TrailingBytes, self.trailing, trailing, || {
            format!("after {after}the {} stream", self.format)
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
