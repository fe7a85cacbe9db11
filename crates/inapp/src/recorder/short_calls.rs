//! Dropping calls that took too little time to be of interest.
//!
//! ```text
//! enter a │ enter b │ enter c │             c was short: its entry is taken back
//! enter a │ enter b │                       so was b
//! enter a │ ▒▒▒▒▒▒▒ │ enter d │ exit d │    d was not: from now on, a is kept as well
//! ```
//!
//! Only the entries at the end of a chunk are taken back, so a call that contains any event is kept, however short it
//! is. An entry is in the file until it is taken back, so the file of a killed process has all calls that were running.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use traceloom_ring::{Kind, first_word, parts_of};

use super::fast::{self, Place};
use super::threads;
use super::ticks;
use super::write;
use super::writer::Writer;

/// Calls that take fewer ticks are dropped; 0 for none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// The same limit for waits.
static WAIT_LIMIT: AtomicU64 = AtomicU64::new(0);

/// Shorter waits are dropped: most files are in memory, and most locks are held for an instant.
const SHORTEST_WAIT: Duration = Duration::from_micros(100);

/// How long a save waits for threads that are in the middle of a record.
const PATIENCE: Duration = Duration::from_millis(20);

/// Sets the limit. A save must be able to pause the dropping, which needs a memory barrier on all threads. On kernels
/// without such a barrier, no calls are dropped.
pub(super) fn set_limit(limit: Option<Duration>, ticks_per_second: u64) {
    let ticks = |limit: Option<Duration>| {
        let ns = limit.filter(|_| threads::has_barrier()).unwrap_or_default();
        let ticks = ns.as_nanos() * u128::from(ticks_per_second) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX)
    };
    LIMIT.store(ticks(limit), Ordering::Release);
    WAIT_LIMIT.store(ticks(Some(SHORTEST_WAIT)), Ordering::Release);
}

/// Whether there is a limit.
#[inline(always)]
pub(super) fn is_on() -> bool {
    LIMIT.load(Ordering::Relaxed) != 0
}

/// While this exists, no entry is taken back.
#[must_use]
pub(super) struct Pause {
    calls: u64,
    waits: u64,
}

impl Pause {
    /// Waits until no thread takes an entry back. The caller excludes other saves, starts and stops.
    pub fn begin() -> Self {
        let pause = Self {
            calls: LIMIT.swap(0, Ordering::AcqRel),
            waits: WAIT_LIMIT.swap(0, Ordering::AcqRel),
        };
        if pause.calls != 0 || pause.waits != 0 {
            threads::barrier();
            let until = Instant::now() + PATIENCE;
            while threads::anybody_writes() && Instant::now() < until {
                std::thread::yield_now();
            }
        }
        pause
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        LIMIT.store(self.calls, Ordering::Release);
        WAIT_LIMIT.store(self.waits, Ordering::Release);
    }
}

/// Records that a method was entered, so that it can be taken back.
pub(super) fn enter(kind: Kind, method: u32, value: u64) {
    if !enter_usually(kind, method, value) {
        write::unusual_entry(kind, method, value);
    }
}

fn enter_usually(kind: Kind, method: u32, value: u64) -> bool {
    let bytes = bytes_of(kind);
    fast::with_usual_writer(|writer| {
        let is_in_row = writer.entries > 0 && writer.entries_end == writer.used;
        let put = |place: Place, delta| {
            place.put(0, first_word(kind, delta, method));
            if kind.has_value() {
                place.put(8, value);
            }
        };
        let is_done = fast::append(writer, bytes, put);
        if is_done {
            writer.note_entry(is_in_row);
        }
        is_done
    })
}

/// Takes the entry of a method back if it is the last record and was made less than the limit ago.
pub(super) fn take_back(kind: Kind, method: u32) -> bool {
    take_back_within(kind, method, &LIMIT)
}

/// The same for the beginning of a wait.
pub(super) fn take_back_wait(id: u32) -> bool {
    take_back_within(Kind::Begin, id, &WAIT_LIMIT)
}

fn take_back_within(kind: Kind, method: u32, limit: &AtomicU64) -> bool {
    let bytes = bytes_of(kind);
    fast::with_usual_writer(|writer| {
        // Read while the thread is marked as writing, which `Pause` waits for.
        let limit = limit.load(Ordering::Acquire);
        let is_last = writer.entries > 0 && writer.entries_end == writer.used;
        if !is_last || !fast::owns_chunk(writer) {
            return false;
        }
        let took = ticks::now(writer.clock).wrapping_sub(writer.last);
        let (found, delta, argument) = parts_of(fast::word(writer, writer.used - bytes));
        let is_short = found == Some(kind) && argument == method && took < limit;
        if is_short {
            forget_last(writer, bytes, delta);
        }
        is_short
    })
}

fn forget_last(writer: &mut Writer, bytes: u32, delta: u64) {
    writer.entries -= 1;
    writer.entries_end = writer.used - bytes;
    fast::commit(writer, writer.used - bytes, writer.last.wrapping_sub(delta));
}

fn bytes_of(kind: Kind) -> u32 {
    8 + u32::from(kind.has_value()) * 8
}
