//! Chunks with free space whose thread has ended. A new thread continues in such a chunk, so that many short-lived
//! threads fill the file instead of wasting a chunk each.

use std::sync::atomic::{AtomicU64, Ordering};

use traceloom_ring::{ClaimState, claim_of};

/// Maximum number of chunks that are withheld from the queue of chunks that may be overwritten.
const MOST: u32 = 16;

/// In a small file, at most one in this many chunks is withheld.
const SHARE: u32 = 8;

/// Number of low bits of an entry that hold the chunk's number; a file of 1 GB has at most 2^20 chunks.
const CHUNK_BITS: u32 = 20;

/// Chunks with free space, in no order. No method waits, so signal handlers may use them.
#[derive(Debug)]
pub(super) struct Leftovers {
    /// Number of the claim and of the chunk; 0 if the entry is free. Claims are numbered from 1.
    entries: Box<[AtomicU64]>,
}

impl Leftovers {
    /// No entries yet, for a file of `chunk_count` chunks.
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

    /// Removes a chunk. Returns it with the claim from when it was added; if the chunk's claim differs, another thread
    /// has taken the chunk since.
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
