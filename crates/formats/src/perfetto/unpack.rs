//! Blocks of compressed packets.

use super::packet::payload;
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::format_id;
use crate::unwrap::{Allowance, Inflater, Outcome};
use crate::zstd::unpack_frame;

/// The largest window of a zstd block, bytes, and the number of bytes that each byte of the block adds to this limit.
const WINDOW: u64 = 32 << 20;
const WINDOW_FOR_BYTE: u64 = 64;

/// Decompresses blocks within the limits for the input.
#[derive(Debug)]
pub(super) struct Unpacker {
    allowance: Allowance,
    packed: u64,
    unpacked: u64,
}

impl Unpacker {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            allowance: Allowance::new(format_id::PERFETTO, options),
            packed: 0,
            unpacked: 0,
        }
    }

    /// Returns the content of a block and whether it is complete. `number` is the field number of the block.
    ///
    /// # Errors
    /// If the content is larger than the limits allow.
    pub fn unpack(&mut self, number: u32, packed: &[u8]) -> Result<(Vec<u8>, bool), ReadError> {
        self.packed += packed.len() as u64;
        let mut content = Vec::new();
        let mut take = |piece: &[u8]| {
            self.unpacked += piece.len() as u64;
            self.allowance
                .take(piece.len() as u64, self.unpacked, self.packed)?;
            content.extend_from_slice(piece);
            Ok(())
        };
        let is_whole = match number {
            payload::COMPRESSED => {
                matches!(Inflater::zlib().push(packed, take)?, Outcome::End(_))
            }
            payload::EXTENSIONS => {
                matches!(Inflater::gzip().push(packed, take)?, Outcome::End(_))
            }
            _ => {
                let window = WINDOW + WINDOW_FOR_BYTE * packed.len() as u64;
                unpack_frame(packed, window, &mut take)?.is_ok()
            }
        };
        Ok((content, is_whole))
    }
}
