//! Where a thread writes: its chunk, and how full that is.

use traceloom_ring::ClockSource;
use traceloom_ring::layout::THREAD_NAME_BYTES;

/// The thread whose events a chunk holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    /// Number of the thread in the recording; unlike a tid, it is never reused.
    pub key: u32,
    pub tid: u32,
    pub name: [u8; THREAD_NAME_BYTES],
}

/// A chunk that a thread has claimed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimed {
    pub chunk: u32,
    pub claim: u64,
}

/// Where a thread writes.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Number of the recording that its chunk belongs to; 0 if none. Not a pointer, because the next recording may be
    /// allocated at the same address.
    pub session: u64,
    /// Offset of the chunk's records in the map, bytes.
    pub body: usize,
    /// Address of the chunk's records.
    pub records: usize,
    /// Bytes used for records.
    pub used: u32,
    /// Bytes available for records.
    pub room: u32,
    /// The clock of the recording.
    pub clock: ClockSource,
    pub claimed: Claimed,
    /// Time of the last record, ticks.
    pub last: u64,
    /// Number of entries of methods at the end of the records, for [`short_calls`](super::short_calls).
    pub entries: u32,
    /// Offset of their end, bytes. If it differs from `used`, other records follow, and the records do not end with
    /// entries.
    pub entries_end: u32,
    /// Number of the next chunk.
    pub ordinal: u32,
    pub identity: Identity,
}

impl Writer {
    /// Notes that the last record is the entry of a method, and whether there is another entry directly before it.
    #[inline(always)]
    pub fn note_entry(&mut self, is_in_row: bool) {
        self.entries = if is_in_row { self.entries + 1 } else { 1 };
        self.entries_end = self.used;
    }
}
