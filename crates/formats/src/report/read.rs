//! Finding the columns in a report, as it comes in.

use traceloom_columns::decode;

use super::{CLASS, ID};
use crate::base64::Base64;
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};
use crate::unwrap::{Allowance, Inflater, Outcome};

/// A tag longer than this is none.
const LONGEST_TAG: usize = 4 << 10;

enum State {
    Page,
    /// In a script that is not ours.
    Script,
    Columns(Box<Packed>),
}

/// Reads a report.
pub(super) struct ReportReader {
    state: State,
    /// The end of the last chunk, where it could not be told what it is.
    held: Vec<u8>,
    offset: u64,
    blocks: Vec<Vec<u8>>,
    allowance: Allowance,
    unpacked: u64,
    packed: u64,
}

/// A block that is being unpacked.
struct Packed {
    letters: Base64,
    gzip: Vec<u8>,
    inflater: Inflater,
    block: Vec<u8>,
    ended: bool,
}

impl ReportReader {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            state: State::Page,
            held: Vec::new(),
            offset: 0,
            blocks: Vec::new(),
            allowance: Allowance::new(ID, options),
            unpacked: 0,
            packed: 0,
        }
    }

    /// Goes on as far as `window` tells; returns how much of it is done with.
    fn scan(&mut self, window: &[u8]) -> Result<usize, ReadError> {
        let mut at = 0;
        while at < window.len() {
            let rest = &window[at..];
            let used = match &mut self.state {
                State::Page => self.page(rest),
                State::Script => self.script(rest),
                State::Columns(_) => self.columns(rest)?,
            };
            if used == 0 {
                break;
            }
            at += used;
        }
        Ok(at)
    }

    /// Between scripts: looks for the next one. 0 where more must come to tell.
    fn page(&mut self, rest: &[u8]) -> usize {
        const SCRIPT: &[u8] = b"<script";
        let Some(start) = memchr::memchr(b'<', rest) else {
            return rest.len();
        };
        if start > 0 {
            return start;
        }
        let shown = rest.len().min(SCRIPT.len());
        if !rest[..shown].eq_ignore_ascii_case(&SCRIPT[..shown]) {
            return 1;
        }
        let head = &rest[..rest.len().min(LONGEST_TAG)];
        match memchr::memchr(b'>', head) {
            Some(end) => {
                self.state = State::of(&head[..end]);
                end + 1
            }
            None if head.len() == LONGEST_TAG => 1,
            None => 0,
        }
    }

    fn script(&mut self, rest: &[u8]) -> usize {
        const END: &[u8] = b"</script";
        match memchr::memchr(b'<', rest) {
            None => rest.len(),
            Some(0) if rest.len() < END.len() => 0,
            Some(0) if rest[..END.len()].eq_ignore_ascii_case(END) => {
                self.state = State::Page;
                END.len()
            }
            Some(0) => 1,
            Some(start) => start,
        }
    }

    /// Inside a block: all up to its end tag is base64.
    fn columns(&mut self, rest: &[u8]) -> Result<usize, ReadError> {
        let State::Columns(packed) = &mut self.state else {
            return Ok(0);
        };
        let end = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        packed.letters.push(&rest[..end], &mut packed.gzip);
        self.packed += end as u64;
        let (allowance, unpacked, from) = (&self.allowance, &mut self.unpacked, self.packed);
        packed.unpack(|more| {
            *unpacked += more;
            allowance.take(more, *unpacked, from)
        })?;
        if end == rest.len() {
            return Ok(end);
        }
        let ended = packed.ended;
        let block = std::mem::take(&mut packed.block);
        if !ended {
            return Err(truncated(self.offset));
        }
        self.blocks.push(block);
        self.state = State::Script;
        // The tag itself is for the next state.
        Ok(if end > 0 { end } else { self.script(rest) })
    }
}

impl State {
    fn of(tag: &[u8]) -> Self {
        match memchr::memmem::find(tag, CLASS.as_bytes()) {
            None => Self::Script,
            Some(_) => Self::Columns(Box::new(Packed {
                letters: Base64::default(),
                gzip: Vec::new(),
                inflater: Inflater::gzip(),
                block: Vec::new(),
                ended: false,
            })),
        }
    }
}

impl Packed {
    /// Unpacks what came; `take` is asked before more memory is taken.
    fn unpack(
        &mut self,
        mut take: impl FnMut(u64) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let gzip = std::mem::take(&mut self.gzip);
        if self.ended || gzip.is_empty() {
            return Ok(());
        }
        let block = &mut self.block;
        let outcome = self.inflater.push(&gzip, |piece| {
            take(piece.len() as u64)?;
            block.extend_from_slice(piece);
            Ok(())
        })?;
        match outcome {
            Outcome::More => {}
            Outcome::End(_) => self.ended = true,
            Outcome::Broken(reason) => {
                return Err(ReadError::Compression {
                    format: ID,
                    offset: self.block.len() as u64,
                    reason,
                });
            }
        }
        Ok(())
    }
}

fn truncated(offset: u64) -> ReadError {
    ReadError::Truncated {
        format: ID,
        inside: "the columns",
        offset,
    }
}

impl Reader for ReportReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        out.trace(ID)?;
        // Pieces, so that joining one to what was held costs little.
        const PIECE: usize = 64 << 10;
        for piece in chunk.chunks(PIECE) {
            self.offset += piece.len() as u64;
            if self.held.is_empty() {
                let used = self.scan(piece)?;
                self.held.extend_from_slice(&piece[used..]);
            } else {
                let mut window = std::mem::take(&mut self.held);
                window.extend_from_slice(piece);
                let used = self.scan(&window)?;
                window.drain(..used);
                self.held = window;
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let builder = out.trace(ID)?;
        if matches!(self.state, State::Columns(_)) {
            return Err(truncated(self.offset));
        }
        if self.blocks.is_empty() {
            return Err(ReadError::NothingInside {
                format: ID,
                entries: 0,
            });
        }
        let trace = decode(self.blocks.iter().map(Vec::as_slice))?;
        self.blocks.clear();
        builder.append(trace, 0);
        Ok(())
    }
}
