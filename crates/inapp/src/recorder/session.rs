//! A recording: the file and its pool of chunks.
//!
//! Chunks are claimed from the queue. It holds the closed chunks in the order in which they were
//! filled. If the queue is empty or its order is unknown, the chunk with the oldest claim is taken,
//! if need be from a live thread.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use traceloom_ring::layout::{CHUNK_HEADER_BYTES, chunk_at, chunks_at, header_at};
use traceloom_ring::{
    ClaimState, ClockSource, FileHeader, FileState, Policy, SyncPoint, claim_of, count_events,
    state_of,
};

use super::leftovers::Leftovers;
use super::map::Map;
use super::new_file::NewFile;
use super::options::Options;
use super::previous::Previous;
use super::process;
use super::queue::Queue;
use super::sampled::SampledThreads;
use super::threads;
use super::ticks;
use super::writer::Claimed;

/// No thread writes to the chunk.
const NOBODY: u32 = u32::MAX;

/// The chunk's thread has left it. The next thread may already be writing before its number is stored.
const NEXT_THREAD: u32 = u32::MAX - 1;

/// The number of the next recording of this process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// A running recording.
#[derive(Debug)]
pub(crate) struct Session {
    /// Unique among the recordings of the process.
    pub number: u64,
    pub map: Map,
    pub path: PathBuf,
    pub clock: ClockSource,
    pub policy: Policy,
    /// Size of a chunk, bytes.
    pub chunk_bytes: usize,
    pub chunk_count: u32,
    pub note_cells: u32,
    pub pid: u32,
    /// Offset of the first chunk in the map.
    first_chunk_at: usize,
    /// Chunks that may be claimed.
    free: Queue,
    /// Chunks of ended threads that have room.
    leftovers: Leftovers,
    /// The slot of the thread that writes to each chunk.
    writers: Box<[AtomicU32]>,
    /// The newest claim of a closed chunk that is not in the queue; 0 if all closed chunks are in the queue. Such a
    /// chunk must be taken before any chunk of the queue.
    unqueued: AtomicU64,
    next_claim: AtomicU64,
    pub ticks_per_second: u64,
    /// Whether open chunks may be taken from live threads.
    may_steal: bool,
    /// Start of the main thread's current task, ticks; 0 without a task.
    pub task_since: AtomicU64,
    /// The threads whose stacks are sampled.
    pub stacks: Mutex<SampledThreads>,
}

impl Session {
    /// Creates the file. If an earlier process left a recording at its path, that recording is moved aside.
    ///
    /// # Errors
    /// If the file cannot be created, or the options are not usable here.
    pub fn create(options: &Options) -> io::Result<(Self, Option<Previous>)> {
        let clock = ticks::choose(options.clock)?;
        let (chunk_bytes, chunk_count) = (options.chunk_size(), options.chunk_count()?);
        let first_chunk_at = chunks_at(options.names);
        let file_bytes = first_chunk_at + chunk_bytes * chunk_count as usize;
        let file = NewFile::create_ring(&options.path)?;
        let mut map = Map::create(file.file(), file_bytes)?;
        let ticks_per_second = ticks::ticks_per_second(clock);
        let header = FileHeader {
            chunk_bytes: chunk_bytes as u32,
            chunk_count,
            note_cells: options.names,
            state: FileState::Recording,
            clock,
            policy: options.policy,
            pid: std::process::id(),
            start: ticks::sync_point(clock),
            ticks_per_second,
            min_call_ns: options.min_call.map_or(0, |limit| limit.as_nanos() as u64),
            process_start: process::start_time(),
            process_name: process::name(),
            boot_id: process::boot_id(),
            ..FileHeader::default()
        };
        map.write(0, &header.to_bytes());
        let previous = file.publish_ring()?;
        let session = Self {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            map,
            path: options.path.clone(),
            clock,
            policy: options.policy,
            chunk_bytes,
            chunk_count,
            note_cells: options.names,
            pid: header.pid,
            first_chunk_at,
            free: Queue::full(chunk_count),
            leftovers: Leftovers::new(chunk_count),
            writers: (0..chunk_count).map(|_| AtomicU32::new(NOBODY)).collect(),
            unqueued: AtomicU64::new(0),
            next_claim: AtomicU64::new(1),
            ticks_per_second,
            may_steal: threads::has_barrier(),
            task_since: AtomicU64::new(0),
            stacks: Mutex::default(),
        };
        Ok((session, previous))
    }

    /// Offset of a chunk in the file.
    #[inline]
    pub fn chunk_at(&self, chunk: u32) -> usize {
        self.first_chunk_at + chunk as usize * self.chunk_bytes
    }

    /// The claim of the chunk that starts at `at`.
    #[inline]
    pub fn claim(&self, at: usize) -> &AtomicU64 {
        self.map.u64(at + chunk_at::CLAIM)
    }

    /// Adds to a counter in the file header.
    pub fn add(&self, field: usize, by: u64) {
        self.map.u64(field).fetch_add(by, Ordering::Relaxed);
    }

    /// Claims a chunk for the thread of `slot`: the chunk that was filled first, or else a chunk of
    /// a thread that is not writing. The chunk is left *opening*. `None` if there is no chunk to
    /// claim.
    pub fn claim_chunk(&self, slot: u32) -> Option<Claimed> {
        // A thread that is descheduled in the middle of a push hides the chunks after it. Other threads may be faster
        // to claim the chunk that is found instead.
        const TRIES: u32 = 4;
        (0..TRIES).find_map(|_| self.try_claim_chunk(slot))
    }

    fn try_claim_chunk(&self, slot: u32) -> Option<Claimed> {
        let is_in_order = self.unqueued.load(Ordering::Relaxed) == 0;
        while is_in_order && let Some((chunk, claim)) = self.free.pop() {
            // If the chunk was stolen in the meantime, its claim differs. Even if it is closed
            // again, it must not be claimed out of order: that would leave a hole among the events
            // of its thread.
            if let Some(claimed) = self.seize(chunk, claim, slot) {
                self.empty(claimed);
                return Some(claimed);
            }
        }
        match self.policy {
            Policy::DropOldest => self.claim_oldest(slot),
            Policy::Stop => None,
        }
    }

    /// Changes the state of the chunk to *opening* if its claim is unchanged.
    fn seize(&self, chunk: u32, claim: u64, slot: u32) -> Option<Claimed> {
        let number = self.next_claim.fetch_add(1, Ordering::Relaxed);
        let opening = claim_of(number, ClaimState::Opening);
        let at = self.chunk_at(chunk);
        self.claim(at)
            .compare_exchange(claim, opening, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        self.writers[chunk as usize].store(slot, Ordering::Relaxed);
        Some(Claimed {
            chunk,
            claim: claim_of(number, ClaimState::Open),
        })
    }

    /// Claims the chunk that was opened first, unless its thread is writing. Used if the queue is empty or out of order.
    ///
    /// ```text
    /// writer                             thief
    /// marks itself as writing            sets the claim to its own
    /// (nothing)                          memory barrier on all threads of the process
    /// reads the claim: still its own?    is the writer marked as writing?
    /// ```
    /// At least one of the two threads sees the other's step. This costs the writer nothing: the thief's system call
    /// runs the barrier between the writer's two steps.
    #[cold]
    fn claim_oldest(&self, slot: u32) -> Option<Claimed> {
        let mut oldest: Oldest = Oldest::default();
        for chunk in 0..self.chunk_count {
            let claim = self.claim(self.chunk_at(chunk)).load(Ordering::Acquire);
            let may_take = match state_of(claim) {
                ClaimState::Free | ClaimState::Closed => true,
                ClaimState::Open => self.may_steal,
                ClaimState::Opening => false,
            };
            if may_take {
                oldest.offer(claim, chunk);
            }
        }
        self.note_order(oldest.items[0].0);
        for (claim, chunk) in oldest.into_iter() {
            let writer = self.writers[chunk as usize].load(Ordering::Relaxed);
            let Some(claimed) = self.seize(chunk, claim, slot) else {
                continue;
            };
            if state_of(claim) == ClaimState::Open {
                threads::barrier();
                if writer == NEXT_THREAD || threads::is_writing(writer, slot) {
                    // The thread may be about to write: give the chunk back.
                    self.writers[chunk as usize].store(writer, Ordering::Relaxed);
                    let at = self.chunk_at(chunk);
                    self.claim(at).store(claim, Ordering::Release);
                    continue;
                }
            }
            self.empty(claimed);
            return Some(claimed);
        }
        None
    }

    /// Once all chunks outside the queue have been claimed, the order of the queue is valid again.
    fn note_order(&self, oldest_claim: u64) {
        let unqueued = self.unqueued.load(Ordering::Relaxed);
        if unqueued != 0 && oldest_claim > unqueued {
            let _ =
                self.unqueued
                    .compare_exchange(unqueued, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Empties a chunk and counts the events in it as dropped.
    fn empty(&self, claimed: Claimed) {
        let at = self.chunk_at(claimed.chunk);
        let committed = self.map.u32(at + chunk_at::COMMITTED);
        let bytes = committed.load(Ordering::Acquire) as usize;
        if bytes > 0 {
            let words = bytes.min(self.chunk_bytes - CHUNK_HEADER_BYTES) / 8;
            let body = at + CHUNK_HEADER_BYTES;
            let read = |word: usize| self.map.u64(body + word * 8).load(Ordering::Relaxed);
            self.add(header_at::DROPPED_CHUNKS, 1);
            self.add(header_at::DROPPED_EVENTS, count_events(words, read));
        }
        fence(Ordering::Release);
        committed.store(0, Ordering::Relaxed);
    }

    /// Closes a chunk that its thread no longer needs, and appends it to the queue.
    pub fn close(&self, claimed: Claimed) {
        if let Some(closed) = self.set_closed(claimed) {
            self.enqueue(claimed.chunk, closed);
        }
    }

    /// Closes a chunk with free space whose thread ends, and keeps it for a new thread.
    pub fn leave(&self, claimed: Claimed) {
        self.writers[claimed.chunk as usize].store(NEXT_THREAD, Ordering::Relaxed);
        if let Some(closed) = self.set_closed(claimed)
            && !self.leftovers.put(claimed.chunk, closed)
        {
            self.enqueue(claimed.chunk, closed);
        }
    }

    /// Claims a chunk that another thread left, for the thread of `slot`. The chunk is *open* and keeps its records.
    pub fn claim_leftover(&self, slot: u32) -> Option<Claimed> {
        let (chunk, closed) = self.leftovers.take()?;
        let number = self.next_claim.fetch_add(1, Ordering::Relaxed);
        let claim = claim_of(number, ClaimState::Open);
        self.claim(self.chunk_at(chunk))
            .compare_exchange(closed, claim, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        self.writers[chunk as usize].store(slot, Ordering::Relaxed);
        Some(Claimed { chunk, claim })
    }

    /// Changes the state of the chunk to *closed*, and returns its claim. `None` if it was taken from its thread.
    fn set_closed(&self, claimed: Claimed) -> Option<u64> {
        let closed = claimed.claim | ClaimState::Closed as u64;
        let claim = self.claim(self.chunk_at(claimed.chunk));
        claim
            .compare_exchange(claimed.claim, closed, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        Some(closed)
    }

    /// Appends a closed chunk to the queue of chunks that may be overwritten.
    fn enqueue(&self, chunk: u32, closed: u64) {
        if self.policy == Policy::DropOldest && !self.free.push((chunk, closed)) {
            self.lose_order(closed);
        }
    }

    /// Handles a failed push: a thread that is descheduled in the middle of a push or pop blocks the queue. The chunks
    /// in the queue would now be claimed before an older one outside it. So the queue is emptied. Until its chunks have
    /// been claimed, the oldest chunk is found by the claim counters alone.
    #[cold]
    fn lose_order(&self, closed: u64) {
        self.unqueued.fetch_max(closed, Ordering::Relaxed);
        while let Some((_, claim)) = self.free.pop() {
            self.unqueued.fetch_max(claim, Ordering::Relaxed);
        }
    }

    /// Writes the current clocks to the file header.
    pub fn note_clocks(&self) {
        let SyncPoint {
            ticks,
            boot_ns,
            mono_ns,
            real_ns,
        } = ticks::sync_point(self.clock);
        // While the fields are being written, `END_BOOT` is 0, which means that there is no sync point.
        let put = |field, value| self.map.u64(field).store(value, Ordering::Release);
        put(header_at::END_BOOT, 0);
        put(header_at::END_TICKS, ticks);
        put(header_at::END_MONO, mono_ns);
        put(header_at::END_REAL, real_ns);
        put(header_at::END_BOOT, boot_ns);
    }

    /// Marks the file as stopped normally.
    pub fn note_end(&self) {
        self.note_clocks();
        let state = self.map.u32(header_at::STATE);
        state.store(FileState::Stopped as u32, Ordering::Release);
    }
}

/// The eight oldest chunks offered, in order. On the stack, because signal handlers must not allocate.
#[derive(Default)]
struct Oldest {
    items: [(u64, u32); 8],
    length: usize,
}

impl Oldest {
    fn offer(&mut self, claim: u64, chunk: u32) {
        let at = self.items[..self.length].partition_point(|item| item.0 < claim);
        if at == self.items.len() {
            return;
        }
        self.length = (self.length + 1).min(self.items.len());
        self.items[at..self.length].rotate_right(1);
        self.items[at] = (claim, chunk);
    }

    fn into_iter(self) -> impl Iterator<Item = (u64, u32)> {
        self.items.into_iter().take(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_eight_come_in_order() {
        let mut smallest = Oldest::default();
        for claim in [9, 3, 7, 1, 8, 2, 6, 5, 4, 10] {
            smallest.offer(claim, claim as u32);
        }
        let claims: Vec<u64> = smallest.into_iter().map(|item| item.0).collect();
        assert_eq!(claims, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
