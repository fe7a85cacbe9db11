//! A recording: the file and its pool of chunks.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use traceloom_ring::layout::{CHUNK_HEADER_BYTES, HEADER_BYTES, chunk_at, chunks_at, header_at};
use traceloom_ring::{
    ClaimState, ClockSource, FileHeader, FileState, Policy, SyncPoint, claim_of, is_event,
    record_bytes, state_of,
};

use super::map::Map;
use super::options::Options;
use super::process;
use super::queue::Queue;
use super::stacks::Stacks;
use super::threads;
use super::ticks;

/// No thread writes to the chunk.
const NOBODY: u32 = u32::MAX;

/// The number of the next recording of this process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// A recording that is under way.
#[derive(Debug)]
pub(crate) struct Session {
    /// No other of the process has it.
    pub number: u64,
    pub map: Map,
    pub path: PathBuf,
    pub clock: ClockSource,
    pub policy: Policy,
    /// Bytes of a chunk.
    pub size: usize,
    pub count: u32,
    pub note_cells: u32,
    pub pid: u32,
    /// Where the first chunk begins.
    first: usize,
    free: Queue,
    /// Which slot's thread writes to each chunk.
    writers: Box<[AtomicU32]>,
    /// The newest claim of a chunk that is to be taken before any in the queue; 0 while the queue has all.
    unqueued: AtomicU64,
    next_claim: AtomicU64,
    pub ticks_per_second: u64,
    /// Whether chunks may be taken from threads that could be writing to them.
    may_steal: bool,
    /// What the main thread does: since when, ticks; 0 while it waits.
    pub task_since: AtomicU64,
    /// What a sampler saw last.
    pub stacks: Mutex<Stacks>,
}

/// A chunk that a thread has taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub chunk: u32,
    pub claim: u64,
}

impl Session {
    /// Makes the file.
    ///
    /// # Errors
    /// If it cannot be made, or the clock that is asked for is not to be trusted here.
    pub fn create(options: &Options) -> io::Result<Self> {
        let clock = ticks::choose(options.clock)?;
        let (size, count) = (options.chunk_size(), options.chunk_count());
        let first = chunks_at(options.names);
        let mut map = Map::create(&options.path, first + size * count as usize)?;
        let ticks_per_second = ticks::ticks_per_second(clock);
        let header = FileHeader {
            chunk_bytes: size as u32,
            chunk_count: count,
            note_cells: options.names,
            state: FileState::Recording,
            clock,
            policy: options.policy,
            pid: std::process::id(),
            start: ticks::sync_point(clock),
            ticks_per_second,
            process_start: process::start_time(),
            process_name: process::name(),
            boot_id: process::boot_id(),
            ..FileHeader::default()
        };
        map.write(0, &header.to_bytes());
        Ok(Self {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            map,
            path: options.path.clone(),
            clock,
            policy: options.policy,
            size,
            count,
            note_cells: options.names,
            pid: header.pid,
            first,
            free: Queue::full(count),
            writers: (0..count).map(|_| AtomicU32::new(NOBODY)).collect(),
            unqueued: AtomicU64::new(0),
            next_claim: AtomicU64::new(1),
            ticks_per_second,
            may_steal: threads::has_barrier(),
            task_since: AtomicU64::new(0),
            stacks: Mutex::default(),
        })
    }

    /// Where a chunk begins in the file.
    #[inline]
    pub fn chunk_at(&self, chunk: u32) -> usize {
        self.first + chunk as usize * self.size
    }

    /// The claim of the chunk that begins at `at`.
    #[inline]
    pub fn claim(&self, at: usize) -> &AtomicU64 {
        self.map.u64(at + chunk_at::CLAIM)
    }

    /// Adds to a number of the file's header.
    pub fn count(&self, field: usize, by: u64) {
        self.map.u64(field).fetch_add(by, Ordering::Relaxed);
    }

    /// Takes a chunk for the thread of `slot`: the one that was filled first, else one of a thread that
    /// is not writing just now. It is *opening* then. `None` where there is none.
    pub fn take(&self, slot: u32) -> Option<Taken> {
        // A thread that the system put aside in the middle of a push hides what stands behind it, and others may be
        // faster with what is found then.
        const TRIES: u32 = 4;
        (0..TRIES).find_map(|_| self.try_take(slot))
    }

    fn try_take(&self, slot: u32) -> Option<Taken> {
        let is_in_order = self.unqueued.load(Ordering::Relaxed) == 0;
        while is_in_order && let Some((chunk, claim)) = self.free.pop() {
            // One that was stolen meanwhile has another claim. It may even be closed again, but its turn is later: taken
            // now, it would leave a hole in its thread's story.
            if let Some(taken) = self.seize(chunk, claim, slot) {
                self.empty(taken);
                return Some(taken);
            }
        }
        match self.policy {
            Policy::DropOldest => self.take_oldest(slot),
            Policy::Stop => None,
        }
    }

    /// Makes the chunk one that is being opened, if its claim is still the same.
    fn seize(&self, chunk: u32, claim: u64, slot: u32) -> Option<Taken> {
        let number = self.next_claim.fetch_add(1, Ordering::Relaxed);
        let opening = claim_of(number, ClaimState::Opening);
        let at = self.chunk_at(chunk);
        self.claim(at)
            .compare_exchange(claim, opening, Ordering::AcqRel, Ordering::Relaxed)
            .ok()?;
        self.writers[chunk as usize].store(slot, Ordering::Relaxed);
        Some(Taken {
            chunk,
            claim: claim_of(number, ClaimState::Open),
        })
    }

    /// The queue has none, or not all in their order: takes the one that was opened first, unless its thread is writing.
    ///
    /// ```text
    /// writer                          thief
    /// says that it writes             sets the claim to its own
    /// (nothing)                       a barrier in all threads of the process
    /// reads the claim: still its own? does the writer say that it writes?
    /// ```
    /// One of them sees what the other did. The writer pays nothing for it: the thief's system call puts
    /// the barrier between its two steps.
    #[cold]
    fn take_oldest(&self, slot: u32) -> Option<Taken> {
        let mut oldest: Oldest = Oldest::default();
        for chunk in 0..self.count {
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
            let Some(taken) = self.seize(chunk, claim, slot) else {
                continue;
            };
            if state_of(claim) == ClaimState::Open {
                threads::barrier();
                if threads::is_writing(writer, slot) {
                    // It may be about to write: the chunk stays its own, or nobody's if it looked just now.
                    self.writers[chunk as usize].store(writer, Ordering::Relaxed);
                    let at = self.chunk_at(chunk);
                    self.claim(at).store(claim, Ordering::Release);
                    continue;
                }
            }
            self.empty(taken);
            return Some(taken);
        }
        None
    }

    /// Behind the last chunk that the queue did not take, its order holds again.
    fn note_order(&self, oldest_claim: u64) {
        let unqueued = self.unqueued.load(Ordering::Relaxed);
        if unqueued != 0 && oldest_claim > unqueued {
            let _ =
                self.unqueued
                    .compare_exchange(unqueued, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Counts what a chunk held, and takes it as empty.
    fn empty(&self, taken: Taken) {
        let at = self.chunk_at(taken.chunk);
        let committed = self.map.u32(at + chunk_at::COMMITTED);
        let bytes = committed.load(Ordering::Acquire) as usize;
        if bytes > 0 {
            let words = bytes.min(self.size - CHUNK_HEADER_BYTES) / 8;
            let body = at + CHUNK_HEADER_BYTES;
            let read = |word: usize| self.map.u64(body + word * 8).load(Ordering::Relaxed);
            self.count(header_at::DROPPED_CHUNKS, 1);
            self.count(header_at::DROPPED_EVENTS, count_events(words, read));
        }
        fence(Ordering::Release);
        committed.store(0, Ordering::Relaxed);
    }

    /// The thread is done with its chunk, which is the next to be emptied when all others are.
    pub fn close(&self, taken: Taken) {
        let closed = taken.claim | ClaimState::Closed as u64;
        let at = self.chunk_at(taken.chunk);
        let same = self.claim(at).compare_exchange(
            taken.claim,
            closed,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        let is_next = same.is_ok() && self.policy == Policy::DropOldest;
        if is_next && !self.free.push((taken.chunk, closed)) {
            self.lose_order(closed);
        }
    }

    /// The queue did not take a chunk: a thread that the system put aside in the middle of a push or pop blocks it. What
    /// is in it has to wait for older ones that are not, so nothing stays in it: until these are taken, the claims
    /// alone say which chunk is the oldest.
    #[cold]
    fn lose_order(&self, closed: u64) {
        self.unqueued.fetch_max(closed, Ordering::Relaxed);
        while let Some((_, claim)) = self.free.pop() {
            self.unqueued.fetch_max(claim, Ordering::Relaxed);
        }
    }

    /// Notes what the clocks show.
    pub fn note_clocks(&self) {
        let SyncPoint {
            ticks,
            boot_ns,
            mono_ns,
            real_ns,
        } = ticks::sync_point(self.clock);
        // A reader that comes in between finds a point of which one clock is a little newer: the counter's
        // goes last, and is 0 meanwhile, which says that there is no point.
        let put = |field, value| self.map.u64(field).store(value, Ordering::Release);
        put(header_at::END_BOOT, 0);
        put(header_at::END_TICKS, ticks);
        put(header_at::END_MONO, mono_ns);
        put(header_at::END_REAL, real_ns);
        put(header_at::END_BOOT, boot_ns);
    }

    /// Says that the recording was ended in order.
    pub fn note_end(&self) {
        self.note_clocks();
        let state = self.map.u32(header_at::STATE);
        state.store(FileState::Stopped as u32, Ordering::Release);
    }

    /// Where the notes begin.
    pub const fn notes_at() -> usize {
        HEADER_BYTES
    }
}

/// Counts the events in words that are read one by one.
fn count_events(words: usize, read: impl Fn(usize) -> u64) -> u64 {
    let (mut count, mut at) = (0, 0);
    while at < words {
        let first = read(at);
        let Some(bytes) = record_bytes(first) else {
            break;
        };
        count += u64::from(is_event(first));
        at += bytes / 8;
    }
    count
}

/// The eight smallest of what is offered, in order; on the stack, as signal handlers may not allocate.
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
    fn the_smallest_eight_come_in_order() {
        let mut smallest = Oldest::default();
        for claim in [9, 3, 7, 1, 8, 2, 6, 5, 4, 10] {
            smallest.offer(claim, claim as u32);
        }
        let claims: Vec<u64> = smallest.into_iter().map(|item| item.0).collect();
        assert_eq!(claims, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
