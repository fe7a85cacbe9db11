//! Decompresses records.
//!
//! `COMPRESSED` and `COMPRESSED2` contain pieces of one Zstandard stream, which expands to further records. A piece can
//! end in the middle of a record.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::records::{Records, kind};
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::format_id;
use crate::unwrap::Allowance;
use crate::zstd::unpack_stream;

/// The decompressed records; empty if there are none.
///
/// # Errors
///
/// If they have more bytes than allowed.
pub(super) fn unpack(
    records: Records<'_>,
    options: &ReadOptions,
    order: crate::ring_buffer::ByteOrder,
    out: &mut TraceBuilder,
) -> Result<Vec<u8>, ReadError> {
    let mut packed = Vec::new();
    for record in records {
        let mut from = record.cursor(order);
        let piece = match record.kind {
            kind::COMPRESSED => Some(record.payload),
            kind::COMPRESSED2 => from.u64().and_then(|size| from.take(size)),
            _ => continue,
        };
        match piece {
            Some(piece) => packed.extend_from_slice(piece),
            None => out.repair(
                RepairKind::BrokenBlock,
                1,
                Place::at_offset(record.at as u64),
                || "a compressed record is shorter than its content".to_owned(),
            ),
        }
    }
    let allowance = Allowance::new(format_id::PERF_DATA, options);
    let mut plain = Vec::new();
    let result = unpack_stream(&packed, &mut |piece| {
        plain.extend_from_slice(piece);
        let lengths = (plain.len() as u64, packed.len() as u64);
        allowance.take(piece.len() as u64, lengths.0, lengths.1)
    })?;
    if let Err(reason) = result {
        let place = Place::at_offset(plain.len() as u64);
        out.repair(RepairKind::BrokenBlock, 1, place, || {
            format!("the compressed records: {reason}")
        });
    }
    Ok(plain)
}
