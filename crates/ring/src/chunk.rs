//! A chunk's header.

use crate::bytes::{fixed, put_u32, put_u64, text, u32_at, u64_at};
use crate::layout::{CHUNK_HEADER_BYTES, SAMPLED_TID, THREAD_NAME_BYTES, chunk_at};

/// What a chunk's claim says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum ClaimState {
    /// It was never used.
    Free = 0,
    /// Somebody is emptying it.
    Opening = 1,
    /// A thread writes to it.
    Open = 2,
    /// It is full, or its thread has ended.
    Closed = 3,
}

/// The claim with this number in this state.
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

/// A thread that records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// Its number; from [`SAMPLED_TID`] on none of the kernel's.
    pub tid: u32,
    /// Its name, NULs behind it.
    pub name: [u8; THREAD_NAME_BYTES],
}

impl Owner {
    /// The name without what fills it up.
    pub fn name(&self) -> &[u8] {
        text(&self.name)
    }

    /// The virtual machine's number for it, where it was sampled and the kernel's is not known.
    pub fn sampled_number(&self) -> Option<u32> {
        self.tid.checked_sub(SAMPLED_TID)
    }
}

/// What the header of a chunk says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkHeader {
    /// The claim; see [`claim_of`].
    pub claim: u64,
    /// Bytes of whole records.
    pub committed: u32,
    /// Tells apart threads that had one tid after the other.
    pub thread: u32,
    /// The clock when the chunk was opened.
    pub base: u64,
    /// `CLOCK_BOOTTIME` then, ns; 0 where it was not read.
    pub sync_ns: u64,
    /// How far the two may be apart, ticks.
    pub sync_width: u32,
    /// The thread.
    pub owner: Owner,
    /// How many signal handlers deep it was written.
    pub nesting: u8,
    /// Its number among the chunks of its thread and nesting, from 0; 24 bits.
    pub ordinal: u32,
}

impl ChunkHeader {
    /// Reads the header at the beginning of `bytes`.
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
            nesting: (order >> 24) as u8,
            ordinal: order & 0xFF_FFFF,
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

    /// How many chunks of its thread and nesting are missing between `before` and this.
    pub fn missing_since(&self, before: &Self) -> u32 {
        self.ordinal.wrapping_sub(before.ordinal + 1) & 0xFF_FFFF
    }

    /// The field that says nesting and number.
    pub fn order(&self) -> u32 {
        u32::from(self.nesting) << 24 | self.ordinal & 0xFF_FFFF
    }
}
