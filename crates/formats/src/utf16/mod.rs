//! UTF-16 text, which PowerShell's `>` writes for any text. Its contents are read as UTF-8.

mod decode;

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::unwrap::Inner;
pub(crate) use decode::as_utf8;
use decode::{Decoder, Order};

/// UTF-16: opens the text inside.
pub(crate) struct Utf16;

impl Format for Utf16 {
    fn id(&self) -> &'static str {
        format_id::UTF_16
    }

    fn title(&self) -> &'static str {
        "UTF-16 text"
    }

    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        match Order::of(head) {
            Some(_) => Confidence::Certain,
            None => Confidence::No,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(Utf16Reader {
            head: Vec::new(),
            decoder: None,
            plain: Vec::new(),
            inner: Inner::new(self.id(), options),
        }))
    }
}

struct Utf16Reader {
    /// The first bytes, until there are enough to detect the byte order.
    head: Vec<u8>,
    decoder: Option<Decoder>,
    plain: Vec<u8>,
    inner: Inner,
}

/// Enough bytes to detect the byte order.
const HEAD: usize = 64;

impl Utf16Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        // The text is decoded in pieces, so that only a little of it is in memory twice.
        const PIECE: usize = 64 << 10;
        let Some(decoder) = &mut self.decoder else {
            return Ok(());
        };
        for piece in bytes.chunks(PIECE) {
            decoder.push(piece, &mut self.plain);
            let result = self.inner.feed(&self.plain, out);
            self.plain.clear();
            result?;
        }
        Ok(())
    }

    fn begin(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let head = std::mem::take(&mut self.head);
        let order = Order::of(&head).unwrap_or(Order::Little);
        self.decoder = Some(Decoder::new(order));
        self.push(&head, out)
    }
}

impl Reader for Utf16Reader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.decoder.is_some() {
            return self.push(chunk, out);
        }
        self.head.extend_from_slice(chunk);
        if self.head.len() < HEAD {
            return Ok(());
        }
        self.begin(out)
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.decoder.is_none() {
            self.begin(out)?;
        }
        if let Some(decoder) = &mut self.decoder {
            decoder.finish(&mut self.plain);
        }
        self.inner.feed(&self.plain, out)?;
        self.inner.finish(out)
    }
}
