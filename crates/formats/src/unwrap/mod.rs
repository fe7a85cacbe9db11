//! What every container shares: the reader of what is inside, and the limits of unpacking.

mod deflate;
mod inflate;
#[cfg(test)]
mod tests;

pub(crate) use deflate::{DeflateReader, Wrapping};
pub(crate) use inflate::{Inflater, Outcome};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};
use crate::registry::AnyReader;

/// How many containers may stand in one another. Real: a page, in a zip, in a gzip.
const MAX_NESTING: u8 = 4;

/// Below so many bytes nothing is a bomb.
const BOMB_BYTES: u64 = 64 << 20;

/// How often its own size a container may unpack to, beyond [`BOMB_BYTES`]. Traces reach 10 to 30,
/// as every event has a time of its own; zeros reach 240 (deflate's fastest) to 1032.
const BOMB_RATIO: u64 = 128;

/// Counts what a container unpacks to, and refuses too much.
#[derive(Debug)]
pub(crate) struct Allowance {
    format: &'static str,
    limit: u64,
    total: Arc<AtomicU64>,
}

impl Allowance {
    /// What a container of `format` may give.
    pub fn new(format: &'static str, options: &ReadOptions) -> Self {
        Self {
            format,
            limit: options.max_decompressed,
            total: Arc::clone(&options.decompressed),
        }
    }

    /// Takes `more` bytes, however few compressed bytes they came from.
    pub fn take_any(&self, more: u64) -> Result<(), ReadError> {
        let before = self.total.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > self.limit {
            return Err(ReadError::TooBig {
                format: self.format,
                limit: self.limit,
            });
        }
        Ok(())
    }

    /// Takes `more` bytes; `unpacked` with them came from `packed` compressed ones.
    pub fn take(&self, more: u64, unpacked: u64, packed: u64) -> Result<(), ReadError> {
        self.take_any(more)?;
        if unpacked > BOMB_BYTES && unpacked / BOMB_RATIO > packed {
            return Err(ReadError::Bomb {
                format: self.format,
                packed,
                unpacked,
            });
        }
        Ok(())
    }
}

/// The input inside a container: goes through the registry again.
pub(crate) struct Inner {
    format: &'static str,
    reader: AnyReader,
    too_deep: bool,
    allowance: Allowance,
    given: u64,
}

impl Inner {
    /// What is inside a container of `format` that was opened with `options`.
    pub fn new(format: &'static str, options: &ReadOptions) -> Self {
        let inside = ReadOptions {
            nesting: options.nesting.saturating_add(1),
            ..options.clone()
        };
        Self {
            format,
            too_deep: inside.nesting > MAX_NESTING,
            allowance: Allowance::new(format, options),
            reader: AnyReader::new(inside),
            given: 0,
        }
    }

    /// Bytes passed on so far.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Passes bytes on that were not compressed.
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

    /// Passes bytes on that were unpacked from `packed` compressed bytes so far.
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

    /// The input inside is over.
    pub fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.reader.finish(out)
    }
}
