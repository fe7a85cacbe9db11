//! The limits that stop decompression bombs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ReadError;
use crate::format::ReadOptions;

/// Output up to this size is never a bomb, bytes.
const BOMB_BYTES: u64 = 64 << 20;

/// A container that expands more than this many times, beyond [`BOMB_BYTES`], is a bomb. Traces
/// reach 10 to 30, because every event has a different time; zeros reach 240 (deflate's fastest
/// level) to 1032.
const BOMB_RATIO: u64 = 128;

/// Counts the output of a container and refuses to exceed the limits.
#[derive(Debug)]
pub(crate) struct Allowance {
    format: &'static str,
    limit: u64,
    total: Arc<AtomicU64>,
}

impl Allowance {
    /// The allowance for a container of this format.
    pub fn new(format: &'static str, options: &ReadOptions) -> Self {
        Self {
            format,
            limit: options.max_decompressed,
            total: Arc::clone(&options.nesting.decompressed),
        }
    }

    /// Spends `more` bytes, regardless of the compression ratio.
    ///
    /// # Errors
    /// [`ReadError::TooBig`].
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

    /// Spends `more` bytes. `unpacked` is this container's output including them, and `packed` is
    /// the number of compressed bytes it came from.
    ///
    /// # Errors
    /// [`ReadError::TooBig`] and [`ReadError::Bomb`].
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
