//! The input inside a container.

use super::allowance::Allowance;
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};

/// The maximum number of nested containers. Real traces need three: a page in a zip in a gzip.
const MAX_NESTING: u8 = 4;

/// Passes the contents of a container to a reader for any format.
pub(crate) struct Inner {
    format: &'static str,
    reader: Box<dyn Reader>,
    too_deep: bool,
    allowance: Allowance,
    given: u64,
}

impl Inner {
    /// Creates a reader for the input inside a container of `format` that was opened with
    /// `options`.
    pub fn new(format: &'static str, options: &ReadOptions) -> Self {
        let mut inside = options.clone();
        inside.nesting.depth = options.nesting.depth.saturating_add(1);
        Self {
            format,
            too_deep: inside.nesting.depth > MAX_NESTING,
            allowance: Allowance::new(format, options),
            reader: (options.nesting.open)(inside),
            given: 0,
        }
    }

    /// The number of bytes passed on so far.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Passes on bytes that were not compressed.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.too_deep {
            return Err(ReadError::TooDeep {
                format: self.format,
                limit: MAX_NESTING,
            });
        }
        self.given += bytes.len() as u64;
        self.reader.feed(bytes, out)
    }

    /// Passes on bytes that were decompressed from the first `packed` bytes of the container.
    pub fn unpacked(
        &mut self,
        bytes: &[u8],
        packed: u64,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        let more = bytes.len() as u64;
        self.allowance.take(more, self.given + more, packed)?;
        self.feed(bytes, out)
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.reader.finish(out)
    }
}
