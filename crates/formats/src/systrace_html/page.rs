//! Finds the blocks of data in a page in chunks.
//!
//! ```text
//!            <script …>                </script>
//!   ┌──────┐ ─────────> ┌────────────┐ ─────────> ┌──────┐
//!   │ Page │            │ Code, Data │            │ Page │
//!   └──────┘            └────────────┘            └──────┘
//!      Code, var linuxPerfData = "\  ─> Data
//!      Code, <!-- BEGIN TRACE -->    ─> Page
//! ```
//!
//! The viewer's code contains many copies of these tags. They cannot cause errors, because inside a
//! script only its end tag counts.

use traceloom_trace::{Place, RepairKind};

use super::block::Block;
use crate::deferred::Deferred;
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};
use crate::format_id;

const END: &[u8] = b"</script";
const BEGIN_TRACE: &[u8] = b"<!-- begin trace -->";
const LITERAL: &[u8] = b"linuxPerfData";

/// The maximum length of a tag. A longer text is not a tag.
const LONGEST_TAG: usize = 4 << 10;

enum State {
    Page,
    Code,
    Data(Box<Block>),
}

/// Reads a page.
pub(super) struct PageReader {
    options: ReadOptions,
    state: State,
    /// The end of the last chunk, until there are enough bytes to interpret it.
    held: Vec<u8>,
    offset: u64,
    begun: bool,
    read: usize,
    skipped: usize,
    first_error: Option<ReadError>,
    deferred: Deferred,
}

impl PageReader {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            options: options.clone(),
            state: State::Page,
            held: Vec::new(),
            offset: 0,
            begun: options.nesting.joined,
            read: 0,
            skipped: 0,
            first_error: None,
            deferred: Deferred::default(),
        }
    }

    /// Processes `window` as far as possible; returns how many bytes are finished.
    fn scan(
        &mut self,
        window: &[u8],
        last: bool,
        out: &mut Target<'_>,
    ) -> Result<usize, ReadError> {
        let mut at = 0;
        loop {
            let rest = &window[at..];
            let step = match &mut self.state {
                State::Page => self.page(rest, last, out),
                State::Code => self.code(rest, last, out),
                State::Data(block) => {
                    let (end, found) = find_end(rest, last);
                    block.feed(&rest[..end], out)?;
                    if found {
                        self.end_block(out)?;
                    }
                    Step::new(end, found)
                }
            };
            at += step.used;
            if !step.more {
                return Ok(at);
            }
        }
    }

    /// Between scripts: looks for the next one.
    fn page(&mut self, rest: &[u8], last: bool, out: &mut Target<'_>) -> Step {
        const SCRIPT: &[u8] = b"<script";
        for start in memchr::memchr_iter(b'<', rest) {
            let tag = &rest[start..];
            match begins(tag, SCRIPT) {
                Some(false) => continue,
                None if last => continue,
                None => return Step::new(start, false),
                Some(true) => {}
            }
            let shown = &tag[..tag.len().min(LONGEST_TAG)];
            match memchr::memchr(b'>', shown) {
                Some(end) => {
                    self.open(&shown[..end], out);
                    return Step::new(start + end + 1, true);
                }
                None if last || tag.len() > LONGEST_TAG => {}
                None => return Step::new(start, false),
            }
        }
        Step::new(rest.len(), false)
    }

    fn open(&mut self, tag: &[u8], out: &mut Target<'_>) {
        let has = |text: &str| memchr::memmem::find(tag, text.as_bytes()).is_some();
        if has("trace-data") || has("viewer-data") {
            self.begin_block(false, out);
            if let (State::Data(block), true) = (&mut self.state, has("trace-data")) {
                block.unescape();
            }
        } else {
            self.state = State::Code;
        }
    }

    /// In a script: looks for its end, and for the literal of old pages.
    fn code(&mut self, rest: &[u8], last: bool, out: &mut Target<'_>) -> Step {
        let literal = memchr::memmem::find(rest, LITERAL).unwrap_or(rest.len());
        for start in memchr::memchr_iter(b'<', &rest[..literal]) {
            let tag = &rest[start..];
            match (begins(tag, END), begins(tag, BEGIN_TRACE)) {
                (Some(true), _) | (_, Some(true)) => {
                    self.state = State::Page;
                    return Step::new(start + 1, true);
                }
                (Some(false), Some(false)) => {}
                _ if last => {}
                _ => return Step::new(start, false),
            }
        }
        if literal == rest.len() {
            let kept = if last { 0 } else { LITERAL.len() - 1 };
            return Step::new(rest.len() - kept.min(rest.len()), false);
        }
        match literal_begins(&rest[literal..]) {
            Some(0) => Step::new(literal + LITERAL.len(), true),
            Some(length) => {
                self.begin_block(true, out);
                Step::new(literal + length, true)
            }
            None if last => Step::new(rest.len(), false),
            None => Step::new(literal, false),
        }
    }

    fn begin_block(&mut self, js: bool, out: &mut Target<'_>) {
        if !self.begun {
            out.begin_source(&self.options.name, format_id::SYSTRACE_HTML);
            self.begun = true;
        }
        self.state = State::Data(Box::new(Block::new(&self.options, js)));
    }

    fn end_block(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let State::Data(mut block) = std::mem::replace(&mut self.state, State::Code) else {
            return Ok(());
        };
        if let Some(bytes) = block.take_deferred() {
            self.deferred.add(&self.options.name, bytes);
            self.read += 1;
            return Ok(());
        }
        match block.finish(out)? {
            Ok(()) => self.read += 1,
            Err(error) => self.count_unread(error, out),
        }
        Ok(())
    }

    fn count_unread(&mut self, error: ReadError, out: &mut Target<'_>) {
        self.skipped += 1;
        let place = Place::at_offset(self.offset);
        let kind = match error {
            ReadError::Empty => return,
            ReadError::UnknownFormat { .. }
            | ReadError::Foreign { .. }
            | ReadError::NothingInside { .. } => RepairKind::SkippedEntry,
            _ => RepairKind::BrokenBlock,
        };
        out.repair(kind, 1, place, || error.to_string());
        if kind == RepairKind::BrokenBlock {
            self.first_error.get_or_insert(error);
        }
    }

    fn push(&mut self, piece: &[u8], last: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.held.is_empty() {
            let used = self.scan(piece, last, out)?;
            self.held.extend_from_slice(&piece[used..]);
        } else {
            let mut window = std::mem::take(&mut self.held);
            window.extend_from_slice(piece);
            let used = self.scan(&window, last, out)?;
            window.drain(..used);
            self.held = window;
        }
        self.offset += piece.len() as u64;
        Ok(())
    }
}

impl Reader for PageReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        // Splits the text, so that it is cheap to join a piece with the held bytes.
        const PIECE: usize = 64 << 10;
        chunk
            .chunks(PIECE)
            .try_for_each(|piece| self.push(piece, false, out))
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.push(b"", true, out)?;
        if matches!(self.state, State::Data(_)) {
            self.end_block(out)?;
            let place = Place::at_offset(self.offset);
            out.repair(RepairKind::TornRecord, 1, place, || {
                "the page ends inside its data".to_owned()
            });
        }
        self.deferred
            .finish(format_id::SYSTRACE_HTML, &self.options, out)?;
        match self.first_error.take() {
            _ if self.read > 0 => Ok(()),
            Some(error) => Err(error),
            None => Err(ReadError::NothingInside {
                format: format_id::SYSTRACE_HTML,
                entries: self.skipped,
            }),
        }
    }
}

/// How far a scan got, and whether it can continue.
struct Step {
    used: usize,
    more: bool,
}

impl Step {
    fn new(used: usize, more: bool) -> Self {
        Self { used, more }
    }
}

/// Whether `text` begins with `word`, ignoring case; `None` if it is too short to decide.
fn begins(text: &[u8], word: &[u8]) -> Option<bool> {
    let length = text.len().min(word.len());
    if !text[..length].eq_ignore_ascii_case(&word[..length]) {
        return Some(false);
    }
    (length == word.len()).then_some(true)
}

/// The position in `text` where the data of a block ends, and whether an end tag was found there.
/// Without one, it is the part of `text` that is certainly data.
fn find_end(text: &[u8], last: bool) -> (usize, bool) {
    for start in memchr::memchr_iter(b'<', text) {
        match begins(&text[start..], END) {
            Some(true) => return (start, true),
            None if !last => return (start, false),
            _ => {}
        }
    }
    (text.len(), false)
}

/// The length of `linuxPerfData = "\` with its line end; 0 if it is something else, `None` if
/// `text` is too short to decide.
fn literal_begins(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 64;
    let blank = |at: usize| -> usize {
        let rest = text[at..].iter();
        at + rest.take_while(|&&byte| byte == b' ').count()
    };
    let mut at = blank(LITERAL.len());
    for wanted in [b'=', b'"'] {
        match text.get(at) {
            Some(&byte) if byte == wanted => at = blank(at + 1),
            Some(_) => return Some(0),
            None => return (text.len() > LONGEST).then_some(0),
        }
    }
    at += usize::from(text.get(at) == Some(&b'\\'));
    at += text[at..].iter().take_while(|&&byte| byte == b'\r').count();
    match text.get(at) {
        Some(b'\n') => Some(at + 1),
        Some(_) => Some(0),
        None => (text.len() > LONGEST).then_some(0),
    }
}
