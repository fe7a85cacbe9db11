//! One block of data in a page: ftrace text, JSON, a process dump, or one of these compressed.

use traceloom_report::Base64Decoder;
use traceloom_trace::{Place, RepairKind};

use super::escape::Unescape;
use super::js_lines::JsLines;
use super::packed::{Packed, packed};
use crate::base64::is_allowed;
use crate::deferred::is_deferred;
use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::format_id;
use crate::unwrap::Inner;

/// The number of bytes needed to recognise a block.
const HEAD: usize = 64;

/// Reads a block. Errors stay within the block unless they concern the whole input.
pub(super) struct Block {
    inner: Inner,
    js: Option<JsLines>,
    escaped: Option<Unescape>,
    kind: Kind,
    plain: Vec<u8>,
    error: Option<ReadError>,
}

enum Kind {
    /// The first bytes, until there are enough to decide.
    Unknown(Vec<u8>),
    Plain,
    /// Base64 of compressed data.
    Base64 {
        decoder: Base64Decoder,
        /// The number of bytes that are not base64.
        foreign: u64,
    },
    /// Possibly base64 of text, which requires that all of it is base64. Plain text may also begin with a long word.
    Doubtful(Vec<u8>),
    /// Read after all other blocks.
    Deferred(Vec<u8>),
}

impl Block {
    /// A block that belongs to the source of the page.
    pub fn new(options: &ReadOptions, js: bool) -> Self {
        Self {
            inner: Inner::new(format_id::SYSTRACE_HTML, &options.joined()),
            js: js.then(JsLines::default),
            escaped: None,
            kind: Kind::Unknown(Vec::new()),
            plain: Vec::new(),
            error: None,
        }
    }

    /// Undoes escapes in its text. Our own pages have them.
    pub fn unescape(&mut self) {
        self.escaped = Some(Unescape::default());
    }

    /// Reads bytes of the block.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.error.is_some() {
            return Ok(());
        }
        let result = match (&mut self.js, &mut self.escaped) {
            (None, None) => self.kind.feed(bytes, &mut self.inner, out),
            (js, escaped) => {
                if let Some(lines) = js {
                    lines.push(bytes, &mut self.plain);
                } else if let Some(escaped) = escaped {
                    escaped.push(bytes, &mut self.plain);
                }
                let result = self.kind.feed(&self.plain, &mut self.inner, out);
                self.plain.clear();
                result
            }
        };
        self.keep(result)
    }

    /// Takes the bytes of a block that must be read after all other blocks. The block ends here.
    pub fn take_deferred(&mut self) -> Option<Vec<u8>> {
        match &mut self.kind {
            Kind::Deferred(bytes) => Some(std::mem::take(bytes)),
            Kind::Unknown(head) if is_deferred(head) => Some(std::mem::take(head)),
            _ => None,
        }
    }

    /// Ends the block. The inner error describes a problem with the block.
    pub fn finish(mut self, out: &mut Target<'_>) -> Result<Result<(), ReadError>, ReadError> {
        if self.error.is_none() {
            let result = self.finish_inner(out);
            self.keep(result)?;
        }
        Ok(self.error.map_or(Ok(()), Err))
    }

    fn finish_inner(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if let Some(lines) = &mut self.js {
            lines.finish(&mut self.plain);
        }
        if let Some(escaped) = &mut self.escaped {
            escaped.finish(&mut self.plain);
        }
        if !self.plain.is_empty() {
            self.kind.feed(&self.plain, &mut self.inner, out)?;
        }
        if self.kind.is_blank() {
            return Err(ReadError::Empty);
        }
        self.kind.settle(&mut self.inner, out)?;
        self.inner.finish(out)
    }

    fn keep(&mut self, result: Result<(), ReadError>) -> Result<(), ReadError> {
        let Err(error) = result else {
            return Ok(());
        };
        match error.innermost() {
            ReadError::TooBig { .. }
            | ReadError::Bomb { .. }
            | ReadError::TooDeep { .. }
            | ReadError::NoMethodEvents { .. }
            | ReadError::NoText { .. } => Err(error),
            _ => {
                self.error = Some(error);
                Ok(())
            }
        }
    }
}

impl Kind {
    fn is_blank(&self) -> bool {
        matches!(self, Self::Unknown(head) if head.trim_ascii().is_empty())
    }

    fn feed(
        &mut self,
        bytes: &[u8],
        inner: &mut Inner,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        match self {
            Self::Plain => inner.feed(bytes, out),
            Self::Deferred(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Self::Doubtful(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Self::Base64 { decoder, foreign } => {
                *foreign += bytes.iter().filter(|&&byte| !is_allowed(byte)).count() as u64;
                let mut decoded = Vec::with_capacity(bytes.len());
                decoder.push(bytes, &mut decoded);
                inner.feed(&decoded, out)
            }
            Self::Unknown(head) => {
                // The line end after the tag is not part of the data.
                let skipped = if head.is_empty() { blank(bytes) } else { 0 };
                head.extend_from_slice(&bytes[skipped..]);
                if head.len() < HEAD {
                    return Ok(());
                }
                self.decide(false, inner, out)
            }
        }
    }

    /// Decides, at the end of the block, what could not be decided earlier.
    fn settle(&mut self, inner: &mut Inner, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.decide(true, inner, out)?;
        match self {
            Self::Doubtful(all) => {
                let all = std::mem::take(all);
                match packed(&all, true) {
                    Some((_, bytes)) => inner.feed(&bytes, out),
                    None => inner.feed(&all, out),
                }
            }
            Self::Base64 { foreign, .. } => {
                out.repair(RepairKind::BrokenBlock, *foreign, Place::default(), || {
                    "bytes in a block that are not base64".to_owned()
                });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Detects the kind of block from its first bytes. `whole` means that there are no others.
    fn decide(
        &mut self,
        whole: bool,
        inner: &mut Inner,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        let Self::Unknown(head) = self else {
            return Ok(());
        };
        let head = std::mem::take(head);
        let shown = &head[..head.len().min(HEAD)];
        let looks = packed(shown, whole && shown.len() == head.len());
        *self = match looks {
            Some((Packed::Compressed, _)) => Self::Base64 {
                decoder: Base64Decoder::default(),
                foreign: 0,
            },
            Some((Packed::Text, _)) => Self::Doubtful(Vec::new()),
            None if is_deferred(shown.trim_ascii()) => Self::Deferred(Vec::new()),
            None => Self::Plain,
        };
        self.feed(&head, inner, out)
    }
}

fn blank(bytes: &[u8]) -> usize {
    let line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    bytes.iter().take_while(line_end).count()
}
