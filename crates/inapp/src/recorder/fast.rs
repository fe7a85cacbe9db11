//! The fast path: an event of a thread that has a chunk with room and is not in the middle of another record.
//!
//! It is one short function, and its only call gets the thread's state, so it needs few registers. All unusual cases
//! are left to [`write`](super::write).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};

use traceloom_ring::layout::{CHUNK_HEADER_BYTES, MAX_CHUNK_BYTES, chunk_at};
use traceloom_ring::{Kind, MAX_DELTA, first_word};

use super::current::ACTIVE;
use super::threads;
use super::ticks;
use super::writer::Writer;

/// Records an event without text or value. False if nothing was recorded.
#[inline(always)]
pub(super) fn short(kind: Kind, argument: u32) -> bool {
    record(8, |place, delta| {
        place.put(0, first_word(kind, delta, argument));
    })
}

/// Records an event with a value.
#[inline(always)]
pub(super) fn with_value(kind: Kind, argument: u32, value: u64) -> bool {
    record(16, |place, delta| {
        place.put(0, first_word(kind, delta, argument));
        place.put(8, value);
    })
}

/// Records an event with text, and a value if its kind has one.
#[inline(always)]
pub(super) fn with_text(kind: Kind, value: u64, text: &[u8]) -> bool {
    if text.len() > MAX_CHUNK_BYTES {
        return false;
    }
    let front = 8 + usize::from(kind.has_value()) * 8;
    let bytes = (front + text.len().next_multiple_of(8)) as u32;
    record(bytes, |place, delta| {
        place.put(0, first_word(kind, delta, text.len() as u32));
        if kind.has_value() {
            place.put(8, value);
        }
        put_text(place, front, text);
    })
}

#[inline(always)]
fn put_text(place: Place, at: usize, text: &[u8]) {
    let (words, rest) = text.as_chunks();
    for (index, word) in words.iter().enumerate() {
        place.put(at + index * 8, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let bits = rest.len() * 8;
        let last = match text.last_chunk() {
            // The last eight bytes of the text, without the bytes that the previous word holds.
            Some(last) => u64::from_le_bytes(*last) >> (64 - bits),
            None => {
                let byte = |sum, byte: &u8| sum << 8 | u64::from(*byte);
                rest.iter().rev().fold(0, byte)
            }
        };
        place.put(at + words.len() * 8, last);
    }
}

/// The address in the map at which a record begins.
#[derive(Clone, Copy)]
pub(super) struct Place(*mut u8);

impl Place {
    /// Stores a word of the record.
    #[inline(always)]
    pub fn put(self, at: usize, word: u64) {
        // SAFETY: `record` checked that the chunk has room. Records are aligned to 8 bytes.
        unsafe { AtomicU64::from_ptr(self.0.add(at).cast()) }.store(word, Ordering::Relaxed);
    }
}

/// Calls `put` with the address of a record of `bytes` bytes and the ticks since the previous record, then commits the
/// record. Returns false without calling `put` in any unusual case.
#[inline(always)]
fn record(bytes: u32, put: impl FnOnce(Place, u64)) -> bool {
    with_usual_writer(|writer| append(writer, bytes, put))
}

/// Marks the thread as writing and calls `write` with its writer. Returns false without calling `write` if the thread
/// has no chunk of the current recording, or is in the middle of a record.
#[inline(always)]
pub(super) fn with_usual_writer(write: impl FnOnce(&mut Writer) -> bool) -> bool {
    let Some(slot) = threads::own() else {
        return false;
    };
    if slot.depth.load(Ordering::Relaxed) != 0 {
        return false;
    }
    slot.depth.store(1, Ordering::Relaxed);
    // As in `with_writer`: the barrier of a thief runs between these two steps.
    compiler_fence(Ordering::SeqCst);
    let active = ACTIVE.load(Ordering::Acquire);
    // SAFETY: only this thread uses the writer, and a signal handler that interrupts it sees another depth.
    let writer = unsafe { &mut *slot.writers[0].get() };
    let is_done = active != 0 && writer.session == active && write(writer);
    compiler_fence(Ordering::SeqCst);
    slot.depth.store(0, Ordering::Release);
    is_done
}

#[inline(always)]
pub(super) fn append(writer: &mut Writer, bytes: u32, put: impl FnOnce(Place, u64)) -> bool {
    let now = ticks::now(writer.clock);
    let delta = now.wrapping_sub(writer.last);
    let used = writer.used + bytes;
    if delta > MAX_DELTA || used > writer.room || !owns_chunk(writer) {
        return false;
    }
    let records: *mut u8 = std::ptr::with_exposed_provenance_mut(writer.records);
    // SAFETY: `used` is within the chunk.
    put(Place(unsafe { records.add(writer.used as usize) }), delta);
    commit(writer, used, now);
    true
}

/// Commits the records up to `used`. The caller has checked that the thread owns the chunk.
#[inline(always)]
pub(super) fn commit(writer: &mut Writer, used: u32, now: u64) {
    writer.used = used;
    writer.last = now;
    let records: *mut u8 = std::ptr::with_exposed_provenance_mut(writer.records);
    // SAFETY: as in `owns_chunk`.
    let committed = unsafe { records.sub(CHUNK_HEADER_BYTES).add(chunk_at::COMMITTED) };
    // SAFETY: as above.
    unsafe { AtomicU32::from_ptr(committed.cast()) }.store(used, Ordering::Release);
}

/// The word at an offset of the writer's records, below `used`.
pub(super) fn word(writer: &Writer, at: u32) -> u64 {
    debug_assert!(at < writer.used && at.is_multiple_of(8));
    let records: *mut u8 = std::ptr::with_exposed_provenance_mut(writer.records);
    // SAFETY: the offset is within the chunk, which is mapped as in `owns_chunk`.
    unsafe { AtomicU64::from_ptr(records.add(at as usize).cast()) }.load(Ordering::Relaxed)
}

/// Whether the chunk was not taken from the thread.
#[inline(always)]
pub(super) fn owns_chunk(writer: &Writer) -> bool {
    let records: *mut u8 = std::ptr::with_exposed_provenance_mut(writer.records);
    // SAFETY: a writer with room has a chunk in the map of its recording. That is mapped as long as the recording is
    // active and the thread is marked as writing. The header is before the records.
    let claim = unsafe { records.sub(CHUNK_HEADER_BYTES).add(chunk_at::CLAIM) };
    // SAFETY: as above.
    let claim = unsafe { AtomicU64::from_ptr(claim.cast()) };
    claim.load(Ordering::Relaxed) == writer.claimed.claim
}
