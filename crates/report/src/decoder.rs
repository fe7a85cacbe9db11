//! Finds the blocks of columns in a page that arrives in chunks, and unpacks them.

use std::io::Read;

use flate2::read::GzDecoder;
use traceloom_trace::Trace;

use crate::base64_decoder::Base64Decoder;
use crate::columns::decode;
use crate::error::DecodeError;
use crate::writer::{CLASS, END, ENDS, META};

/// The maximum length of a tag. Longer tags are not recognised.
const LONGEST_TAG: usize = 4 << 10;

/// Whether a page that starts with `head` is a report. Only the first 1024 bytes count, because
/// later text can be a name in a trace.
pub fn is_report(head: &[u8]) -> bool {
    const NEAR_TOP: usize = 1 << 10;
    let head = &head[..head.len().min(NEAR_TOP)];
    head.trim_ascii_start().starts_with(b"<")
        && memchr::memmem::find(head, META.as_bytes()).is_some()
}

/// Reads the trace of a report. The page may arrive in chunks of any length.
#[derive(Default)]
pub struct Decoder {
    state: State,
    /// The end of the last chunk, until there are enough bytes to interpret it.
    held: Vec<u8>,
    /// The number of bytes so far.
    fed: u64,
    blocks: Vec<Vec<u8>>,
    /// Whether an element with the number of blocks must follow the last block. Older reports do not have it.
    ends: bool,
    /// The number in that element.
    declared_blocks: Option<String>,
}

/// The decoder's position in the page.
#[derive(Default)]
enum State {
    #[default]
    Page,
    OtherScript,
    Columns(PackedBlock),
}

/// A block's content, still compressed.
#[derive(Default)]
struct PackedBlock {
    base64: Base64Decoder,
    gzip: Vec<u8>,
    /// Length of the unpacked block, bytes.
    declared: u64,
}

impl Decoder {
    /// Processes the next chunk of the page. Before a block is unpacked, `allow` is called with its
    /// length; an error from `allow` ends the decoding. A block never unpacks to more than that.
    ///
    /// # Errors
    /// For blocks that are broken, see [`DecodeError`], and the errors of `allow`.
    pub fn feed<E: From<DecodeError>>(
        &mut self,
        chunk: &[u8],
        mut allow: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        // Small pieces, so that joining one with the held bytes is cheap.
        const PIECE: usize = 64 << 10;
        for piece in chunk.chunks(PIECE) {
            self.fed += piece.len() as u64;
            if self.held.is_empty() {
                let used = self.scan(piece, &mut allow)?;
                self.held.extend_from_slice(&piece[used..]);
            } else {
                let mut window = std::mem::take(&mut self.held);
                window.extend_from_slice(piece);
                let used = self.scan(&window, &mut allow)?;
                window.drain(..used);
                self.held = window;
            }
        }
        Ok(())
    }

    /// Decodes the trace at the end of the page.
    ///
    /// # Errors
    /// If the page ended inside a block or has none, and if the blocks are invalid.
    pub fn finish(self) -> Result<Trace, DecodeError> {
        if matches!(self.state, State::Columns(_)) {
            return Err(DecodeError::Truncated { offset: self.fed });
        }
        if self.blocks.is_empty() {
            return Err(DecodeError::NoColumns);
        }
        let found = self.blocks.len();
        match self.declared_blocks {
            None if self.ends => return Err(DecodeError::Truncated { offset: self.fed }),
            Some(declared) if declared != found.to_string() => {
                return Err(DecodeError::Blocks { declared, found });
            }
            _ => {}
        }
        Ok(decode(self.blocks.iter().map(Vec::as_slice))?)
    }

    /// Processes `window` as far as possible; returns the number of bytes processed.
    fn scan<E: From<DecodeError>>(
        &mut self,
        window: &[u8],
        allow: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut at = 0;
        while at < window.len() {
            let rest = &window[at..];
            let used = match &mut self.state {
                State::Page => self.page(rest, allow)?,
                State::OtherScript => self.script(rest),
                State::Columns(_) => self.columns(rest)?,
            };
            if used == 0 {
                break;
            }
            at += used;
        }
        Ok(at)
    }

    /// Outside of scripts: finds the next script. Returns 0 if more bytes are needed.
    fn page<E: From<DecodeError>>(
        &mut self,
        rest: &[u8],
        allow: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<usize, E> {
        const SCRIPT: &[u8] = b"<script";
        let start = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        if start > 0 {
            return Ok(start);
        }
        let shown = rest.len().min(SCRIPT.len());
        if !rest[..shown].eq_ignore_ascii_case(&SCRIPT[..shown]) {
            return Ok(1);
        }
        let head = &rest[..rest.len().min(LONGEST_TAG)];
        let Some(end) = memchr::memchr(b'>', head) else {
            return Ok(usize::from(head.len() == LONGEST_TAG));
        };
        let tag = &head[..end];
        let has = |text: &str| memchr::memmem::find(tag, text.as_bytes()).is_some();
        self.state = State::OtherScript;
        if has(CLASS) {
            let block = PackedBlock::new(tag, self.fed)?;
            allow(block.declared)?;
            self.state = State::Columns(block);
            self.ends |= has(ENDS);
        } else if has(END) {
            self.declared_blocks = attribute(tag, b"data-blocks=\"");
        }
        Ok(end + 1)
    }

    /// Inside a script: finds its end. Returns 0 if more bytes are needed.
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

    /// Inside a block: everything up to its end tag is base64.
    fn columns(&mut self, rest: &[u8]) -> Result<usize, DecodeError> {
        let State::Columns(block) = &mut self.state else {
            return Ok(0);
        };
        let end = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        block.base64.push(&rest[..end], &mut block.gzip);
        if end == rest.len() {
            return Ok(end);
        }
        self.blocks.push(block.unpack(self.fed)?);
        self.state = State::OtherScript;
        // The end tag is left to `script`.
        Ok(if end > 0 { end } else { self.script(rest) })
    }
}

impl PackedBlock {
    /// The block that `tag` begins.
    fn new(tag: &[u8], offset: u64) -> Result<Self, DecodeError> {
        let declared = attribute(tag, b"data-bytes=\"").unwrap_or_default();
        match declared.parse() {
            Ok(declared) => Ok(Self {
                declared,
                ..Self::default()
            }),
            Err(_) => Err(DecodeError::Length {
                declared,
                expected: "a number of bytes",
                offset,
            }),
        }
    }

    /// Unpacks the block, which must have the declared length.
    fn unpack(&self, offset: u64) -> Result<Vec<u8>, DecodeError> {
        let mut block = Vec::new();
        let mut unpacked = GzDecoder::new(&self.gzip[..]).take(self.declared.saturating_add(1));
        match unpacked.read_to_end(&mut block) {
            Ok(_) if block.len() as u64 == self.declared => Ok(block),
            Ok(_) => Err(DecodeError::Length {
                declared: self.declared.to_string(),
                expected: if block.len() as u64 > self.declared {
                    "more"
                } else {
                    "less"
                },
                offset,
            }),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(DecodeError::Truncated { offset })
            }
            Err(error) => Err(DecodeError::Compression {
                unpacked: block.len() as u64,
                reason: error.to_string(),
            }),
        }
    }
}

/// The value of an attribute in a tag.
fn attribute(tag: &[u8], start: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(tag, start)? + start.len();
    let end = memchr::memchr(b'"', &tag[at..])?;
    Some(String::from_utf8_lossy(&tag[at..at + end]).into_owned())
}
