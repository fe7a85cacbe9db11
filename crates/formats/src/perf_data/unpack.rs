//! Decompresses records.
//!
//! `COMPRESSED` and `COMPRESSED2` have pieces of one stream of Zstandard, whose content is further records. A piece can
//! end in the middle of a record. A recording in several files has a stream for each of them.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::records::{Record, kind};
use crate::bytes::ByteOrder;
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::format_id;
use crate::unwrap::Allowance;
use crate::zstd::unpack_stream;

/// The decompressed records; empty if there are none.
///
/// # Errors
/// If it has more bytes than allowed.
pub(super) fn unpack<'r>(
    records: impl Iterator<Item = Record<'r>>,
    options: &ReadOptions,
    order: ByteOrder,
    out: &mut TraceBuilder,
) -> Result<Vec<u8>, ReadError> {
    let streams = streams(records, order, out);
    let allowance = Allowance::new(format_id::PERF_DATA, options);
    let packed: usize = streams.iter().map(Vec::len).sum();
    let mut plain = Vec::new();
    for stream in streams {
        let result = unpack_stream(&stream, &mut |piece| {
            plain.extend_from_slice(piece);
            allowance.take(piece.len() as u64, plain.len() as u64, packed as u64)
        })?;
        if let Err(reason) = result {
            let place = Place::at_offset(plain.len() as u64);
            out.repair(RepairKind::BrokenBlock, 1, place, || {
                format!("the compressed records: {reason}")
            });
        }
    }
    Ok(plain)
}

/// The compressed streams. Each file of a folder has its own, which does not end.
fn streams<'r>(
    records: impl Iterator<Item = Record<'r>>,
    order: ByteOrder,
    out: &mut TraceBuilder,
) -> Vec<Vec<u8>> {
    /// No piece inside a stream begins like this: it would be a block larger than the largest one.
    const BEGIN: &[u8] = b"\x28\xb5\x2f\xfd";
    let mut streams: Vec<Vec<u8>> = Vec::new();
    for record in records {
        let mut from = record.cursor(order);
        let piece = match record.kind {
            kind::COMPRESSED => Some(record.payload),
            kind::COMPRESSED2 => from.u64().and_then(|size| from.take(size)),
            _ => continue,
        };
        match (piece, streams.last_mut()) {
            (Some(piece), Some(last)) if !piece.starts_with(BEGIN) => last.extend(piece),
            (Some(piece), _) => streams.push(piece.to_vec()),
            (None, _) => out.repair(
                RepairKind::BrokenBlock,
                1,
                Place::at_offset(record.at as u64),
                || "a compressed record is shorter than its content".to_owned(),
            ),
        }
    }
    streams
}
