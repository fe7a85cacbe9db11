//! Copying the ring while threads write to it.

use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

use traceloom_ring::layout::{CHUNK_HEADER_BYTES, HEADER_BYTES, chunk_at, chunks_at, header_at};
use traceloom_ring::{ChunkHeader, ClaimState, FileState, Records, state_of};

use super::session::Session;
use super::short_calls::Pause;
use super::ticks;

/// A ring file with all chunks, or only with those that hold events of the last `last`.
pub(crate) fn snapshot(session: &Session, last: Option<Duration>) -> Vec<u8> {
    session.note_clocks();
    let _pause = Pause::begin();
    let first = chunks_at(session.note_cells);
    let mut bytes = Vec::with_capacity(session.map.len());
    bytes.resize(first, 0);
    let since = last.map(|last| {
        let ticks = last.as_nanos() * u128::from(session.ticks_per_second) / 1_000_000_000;
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        ticks::now(session.clock).saturating_sub(ticks)
    });
    let mut chunk_count = 0u32;
    for chunk in 0..session.chunk_count {
        let start = bytes.len();
        // A thread may continue the chunk while it is copied. It is then copied again.
        let is_copied = (0..3).any(|_| {
            bytes.truncate(start);
            copy_chunk(session, chunk, &mut bytes)
        });
        if is_copied && since.is_none_or(|since| ends_after(&bytes[start..], since)) {
            chunk_count += 1;
        } else {
            bytes.truncate(start);
        }
    }
    // Copied after the chunks, so that the names of all ids in them are included.
    let mut front = Vec::with_capacity(first);
    copy(session, 0..first, &mut front);
    bytes[..first].copy_from_slice(&front);
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(header_at::CHUNK_COUNT, chunk_count);
    put(header_at::STATE, FileState::Stopped as u32);
    debug_assert!(bytes.len() >= HEADER_BYTES);
    bytes
}

fn copy(session: &Session, range: std::ops::Range<usize>, bytes: &mut Vec<u8>) {
    for at in range.step_by(8) {
        let word = session.map.u64(at).load(Ordering::Relaxed);
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

/// Copies the committed part of a chunk. False if the chunk is empty, or if another thread took it
/// in the meantime.
fn copy_chunk(session: &Session, chunk: u32, bytes: &mut Vec<u8>) -> bool {
    let at = session.chunk_at(chunk);
    let before = session.claim(at).load(Ordering::Acquire);
    if !matches!(state_of(before), ClaimState::Open | ClaimState::Closed) {
        return false;
    }
    // Records that are committed after this point may be copied in part. They are not included in the count, so readers
    // ignore them.
    let committed = session
        .map
        .u32(at + chunk_at::COMMITTED)
        .load(Ordering::Acquire);
    let start = bytes.len();
    let used = CHUNK_HEADER_BYTES + committed as usize;
    copy(session, at..at + used.min(session.chunk_bytes), bytes);
    bytes.resize(start + session.chunk_bytes, 0);
    bytes[start + chunk_at::COMMITTED..][..4].copy_from_slice(&committed.to_le_bytes());
    fence(Ordering::Acquire);
    let after = session.claim(at).load(Ordering::Relaxed);
    // The chunk may have been closed in the meantime. Its content is still the same.
    committed > 0 && before | ClaimState::Closed as u64 == after | ClaimState::Closed as u64
}

/// Whether the last record of a chunk is at or after `since`, ticks.
fn ends_after(chunk: &[u8], since: u64) -> bool {
    let header = ChunkHeader::read(chunk);
    let body = chunk.get(CHUNK_HEADER_BYTES..).unwrap_or_default();
    let body = &body[..body.len().min(header.committed as usize)];
    Records::new(body, header.base).last_ticks() >= since
}
