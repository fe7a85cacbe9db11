//! Chunk headers, and the chunks of a file that is being read.

use crate::bytes::{fixed, put_u32, put_u64, text, u32_at, u64_at};
use crate::layout::{CHUNK_HEADER_BYTES, SAMPLED_TID, SHARED, THREAD_NAME_BYTES, chunk_at};
use crate::record::Records;

/// The state of a chunk, kept in the low bits of its claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum ClaimState {
    /// Never used.
    Free = 0,
    /// Being emptied.
    Opening = 1,
    /// A thread writes to it.
    Open = 2,
    /// Full, or its thread has ended.
    Closed = 3,
}

/// The claim with this number and state.
#[inline]
pub const fn claim_of(number: u64, state: ClaimState) -> u64 {
    number << 2 | state as u64
}

/// The state of a claim.
#[inline]
pub const fn state_of(claim: u64) -> ClaimState {
    match claim & 3 {
        0 => ClaimState::Free,
        1 => ClaimState::Opening,
        2 => ClaimState::Open,
        _ => ClaimState::Closed,
    }
}

/// The thread that a chunk belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Owner {
    /// Process ID.
    pub pid: u32,
    /// Thread ID. Values from [`SAMPLED_TID`] are not the kernel's; see [`sampled_number`](Self::sampled_number).
    pub tid: u32,
    /// Name, padded with NULs.
    pub name: [u8; THREAD_NAME_BYTES],
}

impl Owner {
    /// The name without padding.
    pub fn name(&self) -> &[u8] {
        text(&self.name)
    }

    /// The virtual machine's number of a sampled thread, whose kernel tid is unknown. `None` for other threads.
    pub fn sampled_number(&self) -> Option<u32> {
        self.tid.checked_sub(SAMPLED_TID)
    }
}

/// The header of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkHeader {
    /// Number and state; see [`claim_of`].
    pub claim: u64,
    /// Bytes of complete records.
    pub committed: u32,
    /// Number of the thread in the recording. Unlike a tid, it is never reused.
    pub thread: u32,
    /// Time at which the chunk was opened, in ticks of the recording's clock.
    pub base: u64,
    /// `CLOCK_BOOTTIME` at the same moment, ns; 0 if it was not read.
    pub sync_ns: u64,
    /// Largest possible distance between the two readings, ticks.
    pub sync_width: u32,
    /// The thread.
    pub owner: Owner,
    /// How many signal handlers deep the chunk was written.
    pub nesting: u8,
    /// Number among the chunks of its thread and nesting, from 0; 24 bits.
    pub ordinal: u32,
    /// Whether other threads continued the chunk after this one.
    pub is_shared: bool,
}

impl ChunkHeader {
    /// Reads the header at the start of `bytes`.
    pub fn read(bytes: &[u8]) -> Self {
        let order = u32_at(bytes, chunk_at::ORDER);
        let name = bytes.get(chunk_at::NAME..CHUNK_HEADER_BYTES);
        Self {
            claim: u64_at(bytes, chunk_at::CLAIM),
            committed: u32_at(bytes, chunk_at::COMMITTED),
            thread: u32_at(bytes, chunk_at::THREAD),
            base: u64_at(bytes, chunk_at::BASE),
            sync_ns: u64_at(bytes, chunk_at::SYNC_NS),
            sync_width: u32_at(bytes, chunk_at::SYNC_WIDTH),
            owner: Owner {
                pid: u32_at(bytes, chunk_at::PID),
                tid: u32_at(bytes, chunk_at::TID),
                name: fixed(name.unwrap_or_default()),
            },
            nesting: (order >> 24) as u8 & 0x7F,
            ordinal: order & 0xFF_FFFF,
            is_shared: order & SHARED != 0,
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; CHUNK_HEADER_BYTES] {
        let mut bytes = [0; CHUNK_HEADER_BYTES];
        put_u64(&mut bytes, chunk_at::CLAIM, self.claim);
        put_u32(&mut bytes, chunk_at::COMMITTED, self.committed);
        put_u32(&mut bytes, chunk_at::THREAD, self.thread);
        put_u64(&mut bytes, chunk_at::BASE, self.base);
        put_u64(&mut bytes, chunk_at::SYNC_NS, self.sync_ns);
        put_u32(&mut bytes, chunk_at::SYNC_WIDTH, self.sync_width);
        put_u32(&mut bytes, chunk_at::PID, self.owner.pid);
        put_u32(&mut bytes, chunk_at::TID, self.owner.tid);
        put_u32(&mut bytes, chunk_at::ORDER, self.order());
        bytes[chunk_at::NAME..].copy_from_slice(&self.owner.name);
        bytes
    }

    /// Number of missing chunks between `before` and this one, both of the same thread and nesting.
    pub(crate) fn missing_since(&self, before: &Self) -> u32 {
        self.ordinal.wrapping_sub(before.ordinal + 1) & 0xFF_FFFF
    }

    /// The field `order`: nesting, ordinal, and whether the chunk is shared.
    fn order(&self) -> u32 {
        let shared = if self.is_shared { SHARED } else { 0 };
        shared | u32::from(self.nesting) << 24 | self.ordinal & 0xFF_FFFF
    }
}

/// A chunk with records in a file that is being read, or one thread's part of such a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'a> {
    pub header: ChunkHeader,
    /// The committed records, as far as they are in the file.
    pub body: &'a [u8],
    /// Offset of the records in the file, bytes.
    pub offset: u64,
}

impl<'a> Chunk<'a> {
    /// Calls `take` with the part of each thread.
    pub fn parts(mut self, mut take: impl FnMut(Self)) {
        if self.header.is_shared {
            let mut records = Records::new(self.body, self.header.base);
            let mut from = 0;
            let (body, offset) = (self.body, self.offset);
            while let Some((at, header, next)) = records.next_owner() {
                self.body = &body[from..at];
                take(self);
                self.header = ChunkHeader::read(header);
                self.offset = offset + next as u64;
                from = next;
            }
            self.body = &body[from..];
        }
        take(self);
    }
}
