//! The rest of chunks whose thread has ended. A thread that begins goes on with such a chunk, so that many short-lived threads
//! fill the file instead of wasting a chunk each.

use std::sync::atomic::{AtomicU64, Ordering};

use traceloom_ring::{ClaimState, claim_of};

/// At most this many chunks are kept back from the queue of chunks that may be overwritten.
const MOST: u32 = 16;

/// Of a small file, at most one chunk in this many is kept back.
const SHARE: u32 = 8;

/// Low bits of an entry for the number of the chunk; a file of 1 GB has at most 2^20 chunks.
const CHUNK_BITS: u32 = 20;

/// Chunks with room, in no order. It never waits, so it may be used in signal handlers.
#[derive(Debug)]
pub(super) struct Leftovers {
    /// Number of the claim and of the chunk; 0 if the entry is free. Claims are numbered from 1.
    entries: Box<[AtomicU64]>,
}

impl Leftovers {
    /// For a file with so many chunks.
    pub fn new(chunk_count: u32) -> Self {
        let length = (chunk_count / SHARE).min(MOST);
        Self {
            entries: (0..length).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Adds a closed chunk with its claim. False if there is no room.
    pub fn put(&self, chunk: u32, claim: u64) -> bool {
        let entry = claim >> 2 << CHUNK_BITS | u64::from(chunk);
        let free = |place: &AtomicU64| {
            place
                .compare_exchange(0, entry, Ordering::Release, Ordering::Relaxed)
                .is_ok()
        };
        self.entries.iter().any(free)
    }

    /// Takes a chunk and the claim that it had. It may have been taken by another thread meanwhile.
    pub fn take(&self) -> Option<(u32, u64)> {
        let used = |place: &&AtomicU64| place.load(Ordering::Relaxed) != 0;
        let mut used = self.entries.iter().filter(used);
        let entry = used.find_map(|place| {
            let entry = place.swap(0, Ordering::Acquire);
            (entry != 0).then_some(entry)
        })?;
        let chunk = (entry & ((1 << CHUNK_BITS) - 1)) as u32;
        Some((chunk, claim_of(entry >> CHUNK_BITS, ClaimState::Closed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_comes_back_once_with_its_claim() {
        let leftovers = Leftovers::new(16);
        let claim = claim_of(7, ClaimState::Closed);
        assert!(leftovers.put(5, claim) && leftovers.put(0, claim));
        assert!(!leftovers.put(1, claim), "an eighth of 16 chunks");
        assert_eq!(leftovers.take(), Some((5, claim)));
        assert_eq!(leftovers.take(), Some((0, claim)));
        assert_eq!(leftovers.take(), None);
    }
}
