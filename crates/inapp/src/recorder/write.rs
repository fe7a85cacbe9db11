//! Writing one event to the thread's chunk. [`fast`] does it in the usual case, this module in all others.
//!
//! Nothing here locks, allocates or makes a system call, with two exceptions: a thread's first event, and a memory
//! barrier if a chunk must be taken from a live thread. A signal handler may interrupt at any instruction; if the thread
//! is in the middle of a record, the handler's events go to a separate chunk.

use std::ffi::c_void;
use std::sync::atomic::{Ordering, compiler_fence};

use traceloom_ring::layout::{
    CHUNK_HEADER_BYTES, MARK_CONTINUES, MARK_GOES_ON, SHARED, chunk_at, header_at,
};
use traceloom_ring::{ClockSource, Kind, MAX_DELTA, first_word};

use super::current::{CURRENT, is_recording};
use super::fast;
use super::session::Session;
use super::text::{Parts, Words};
use super::threads::{self, NESTINGS, Slot};
use super::ticks;
use super::writer::{Claimed, Identity, Writer};

/// Size of the record that begins another thread's part of a chunk, bytes.
const OWNER_BYTES: usize = 8 + CHUNK_HEADER_BYTES;

/// A chunk with fewer free bytes is not passed on.
const MIN_LEFT: u32 = 256;

/// Calls `with` with the recording if there is one.
pub(crate) fn with_session(with: impl FnOnce(&Session)) {
    if is_recording() {
        with_writer(|session, _, _, _| with(session));
    }
}

/// Records an event without text. `value` is ignored if the kind has no value.
#[inline(always)]
pub(crate) fn event(kind: Kind, argument: u32, value: u64) {
    // Tested first, so that a call is nearly free while nothing is being recorded.
    if is_recording() {
        if kind.has_value() {
            with_value(kind, argument, value);
        } else {
            short(kind, argument);
        }
    }
}

#[inline(never)]
fn short(kind: Kind, argument: u32) {
    if !fast::short(kind, argument) {
        unusual(kind, argument, 0);
    }
}

#[inline(never)]
fn with_value(kind: Kind, argument: u32, value: u64) {
    if !fast::with_value(kind, argument, value) {
        unusual(kind, argument, value);
    }
}

/// Records an event that is not on the fast path.
#[inline(never)]
fn unusual(kind: Kind, argument: u32, value: u64) {
    with_writer(|session, writer, slot, depth| {
        let now = ticks::now(session.clock);
        let record = (kind, argument, value);
        append(session, writer, slot, depth, now, record, Parts::NONE);
    });
}

/// Records the entry of a method when the fast path cannot: after a long pause, or when the chunk is full. Earlier entries
/// can then no longer be taken back, because a time record or the start of a chunk follows them.
pub(super) fn unusual_entry(kind: Kind, argument: u32, value: u64) {
    with_writer(|session, writer, slot, depth| {
        let now = ticks::now(session.clock);
        let record = (kind, argument, value);
        if append(session, writer, slot, depth, now, record, Parts::NONE) {
            writer.note_entry(false);
        }
    });
}

/// Records an event with text. Text that fills more than half a chunk becomes a mark in several records.
#[inline(always)]
pub(crate) fn text_event(kind: Kind, value: u64, text: &[u8]) {
    if is_recording() {
        with_text(kind, value, text);
    }
}

#[inline(never)]
fn with_text(kind: Kind, value: u64, text: &[u8]) {
    if !fast::with_text(kind, value, text) {
        unusual_text(kind, value, text);
    }
}

#[inline(never)]
fn unusual_text(kind: Kind, value: u64, text: &[u8]) {
    with_writer(|session, writer, slot, depth| {
        let now = ticks::now(session.clock);
        let max_text = session.chunk_bytes / 2;
        if text.len() <= max_text {
            let record = (kind, text.len() as u32, value);
            append(session, writer, slot, depth, now, record, Parts::one(text));
            return;
        }
        let mut front = [0; 16];
        let mut back = [0; 24];
        let parts = Parts::as_mark(kind, session.pid, value, text, (&mut front, &mut back));
        let mut from = 0;
        while from < parts.len() {
            let part = (parts.len() - from).min(max_text);
            let goes_on = from + part < parts.len();
            let flags =
                if goes_on { MARK_GOES_ON } else { 0 } | if from > 0 { MARK_CONTINUES } else { 0 };
            let record = (Kind::Mark, part as u32 | flags, 0);
            let piece = parts.slice(from, part);
            if !append(session, writer, slot, depth, now, record, piece) {
                return;
            }
            from += part;
        }
    });
}

/// Marks the thread as writing, and calls `write` with the recording and the thread's writer.
pub(super) fn with_writer(write: impl FnOnce(&Session, &mut Writer, &'static Slot, u32)) {
    let Some(slot) = threads::own().or_else(register) else {
        return;
    };
    let depth = slot.depth.load(Ordering::Relaxed);
    // No atomic addition is needed: a signal handler restores the depth before it returns.
    slot.depth.store(depth + 1, Ordering::Relaxed);
    // The memory barrier of a thief runs between these two steps; see `Session::claim_oldest`.
    compiler_fence(Ordering::SeqCst);
    let session = CURRENT.load(Ordering::Acquire);
    // SAFETY: a recording is freed only when it is no longer current and no thread is marked as writing.
    if let Some(session) = unsafe { session.as_ref() } {
        match slot.writers.get(depth as usize) {
            // SAFETY: only this thread uses the writer, and a signal handler that interrupts it sees another depth.
            Some(writer) => write(session, unsafe { &mut *writer.get() }, slot, depth),
            None => session.add(header_at::LOST_NESTED, 1),
        }
    }
    compiler_fence(Ordering::SeqCst);
    slot.depth.store(depth, Ordering::Release);
}

#[cold]
fn register() -> Option<&'static Slot> {
    let slot = threads::register();
    // SAFETY: as in `with_writer`, except that a thread without a slot cannot mark itself as writing. This only matters if
    // 4096 threads are alive while the recording is being stopped.
    if let (None, Some(session)) = (slot, unsafe { CURRENT.load(Ordering::Acquire).as_ref() }) {
        session.add(header_at::LOST_THREADS, 1);
    }
    slot
}

/// Whether the thread still owns the chunk, and the chunk has room for `bytes`.
fn has_room(session: &Session, writer: &Writer, bytes: u32) -> bool {
    writer.session == session.number
        && writer.used + bytes <= writer.room
        && session
            .claim(writer.body - CHUNK_HEADER_BYTES)
            .load(Ordering::Relaxed)
            == writer.claimed.claim
}

/// Commits the records up to `used`.
fn commit(session: &Session, writer: &mut Writer, used: u32, now: u64) {
    writer.used = used;
    writer.last = now;
    let committed = writer.body - CHUNK_HEADER_BYTES + chunk_at::COMMITTED;
    session.map.u32(committed).store(used, Ordering::Release);
}

/// Writes any record, in a new chunk if necessary. False if there is no chunk.
fn append(
    session: &Session,
    writer: &mut Writer,
    slot: &'static Slot,
    depth: u32,
    now: u64,
    (kind, argument, value): (Kind, u32, u64),
    text: Parts<'_>,
) -> bool {
    if slot.is_wiped() {
        super::fork::slot_was_wiped(session);
        return false;
    }
    let bytes = 8 + u32::from(kind.has_value()) * 8 + text.len().next_multiple_of(8) as u32;
    // Leave room for a time record, 16 bytes.
    if !has_room(session, writer, bytes + 16) && !open(session, writer, slot, depth, now) {
        session.add(header_at::LOST_FULL, 1);
        return false;
    }
    // The counters of two cores may differ by a few ticks: time must not go back.
    let skew = writer.last.wrapping_sub(now);
    let now = if skew < session.ticks_per_second / 1_000 {
        writer.last
    } else {
        now
    };
    let mut at = writer.body + writer.used as usize;
    let mut put = |value| {
        session.map.u64(at).store(value, Ordering::Relaxed);
        at += 8;
    };
    let mut delta = now.wrapping_sub(writer.last);
    if delta > MAX_DELTA {
        put(first_word(Kind::Time, 0, 0));
        put(now);
        delta = 0;
    }
    put(first_word(kind, delta, argument));
    if kind.has_value() {
        put(value);
    }
    let mut words = Words::new(put);
    text.each(|slice| words.push(slice));
    words.finish();
    commit(session, writer, (at - writer.body) as u32, now);
    true
}

/// Closes the writer's chunk and claims a new one. False if there is none.
fn open(session: &Session, writer: &mut Writer, slot: &'static Slot, depth: u32, now: u64) -> bool {
    let is_first = writer.session != session.number;
    if is_first {
        writer.session = session.number;
        writer.ordinal = 0;
        writer.identity = slot.identity();
    } else if writer.room > 0 {
        session.close(writer.claimed);
    }
    writer.room = 0;
    writer.used = 0;
    writer.body = CHUNK_HEADER_BYTES;
    if is_first && let Some(claimed) = session.claim_leftover(slot.index) {
        go_on(session, writer, claimed, depth, now);
        return true;
    }
    let Some(claimed) = session.claim_chunk(slot.index) else {
        // `has_room` reads the claim of a chunk. Let it read the first one's, which is never 0.
        writer.body = session.chunk_at(0) + CHUNK_HEADER_BYTES;
        writer.claimed = Claimed { chunk: 0, claim: 0 };
        return false;
    };
    let at = session.chunk_at(claimed.chunk);
    fill_header(session, writer, at, depth, now);
    session.claim(at).store(claimed.claim, Ordering::Release);
    use_chunk(session, writer, claimed, now);
    true
}

/// Continues a chunk that another thread left.
fn go_on(session: &Session, writer: &mut Writer, claimed: Claimed, depth: u32, now: u64) {
    let at = session.chunk_at(claimed.chunk);
    let committed = session.map.u32(at + chunk_at::COMMITTED);
    // The upper limit matters only if someone else has written to the file.
    let most = session.chunk_bytes - CHUNK_HEADER_BYTES - OWNER_BYTES;
    let used = (committed.load(Ordering::Acquire) as usize).min(most) & !7;
    let record = at + CHUNK_HEADER_BYTES + used;
    let first = first_word(Kind::Owner, 0, CHUNK_HEADER_BYTES as u32);
    session.map.u64(record).store(first, Ordering::Relaxed);
    fill_header(session, writer, record + 8, depth, now);
    let claim = session.claim(record + 8);
    claim.store(claimed.claim, Ordering::Relaxed);
    let order = session.map.u32(at + chunk_at::ORDER);
    order.fetch_or(SHARED, Ordering::Relaxed);
    use_chunk(session, writer, claimed, now);
    commit(session, writer, (used + OWNER_BYTES) as u32, now);
}

/// Makes a claimed chunk the writer's.
fn use_chunk(session: &Session, writer: &mut Writer, claimed: Claimed, now: u64) {
    writer.body = session.chunk_at(claimed.chunk) + CHUNK_HEADER_BYTES;
    writer.clock = session.clock;
    writer.records = session.map.addresses().start + writer.body;
    writer.room = (session.chunk_bytes - CHUNK_HEADER_BYTES) as u32;
    writer.claimed = claimed;
    writer.last = now;
    writer.entries = 0;
    writer.ordinal += 1;
}

/// Writes a chunk header at `at`, except the claim and the number of bytes.
fn fill_header(session: &Session, writer: &Writer, at: usize, depth: u32, now: u64) {
    let number = |field, value| session.map.u32(at + field).store(value, Ordering::Relaxed);
    let long = |field, value| session.map.u64(at + field).store(value, Ordering::Relaxed);
    let (sync_ns, width) = boot_time_at(session, now);
    let Identity { key, tid, name } = writer.identity;
    number(chunk_at::THREAD, key);
    long(chunk_at::BASE, now);
    long(chunk_at::SYNC_NS, sync_ns);
    number(chunk_at::SYNC_WIDTH, width);
    number(chunk_at::PID, session.pid);
    number(chunk_at::TID, tid);
    number(chunk_at::ORDER, depth << 24 | writer.ordinal & 0xFF_FFFF);
    let (front, back) = name.split_at(8);
    for (index, half) in [front, back].into_iter().enumerate() {
        let half = half.first_chunk().copied().unwrap_or_default();
        long(chunk_at::NAME + index * 8, u64::from_le_bytes(half));
    }
}

/// `CLOCK_BOOTTIME` at the moment `now`, and its uncertainty in ticks. Zeros if that moment is so long ago that errors of
/// the clock's rate would matter.
fn boot_time_at(session: &Session, now: u64) -> (u64, u32) {
    if session.clock != ClockSource::Counter {
        return (0, 0);
    }
    let (ticks, boot_ns, width) = ticks::with_boot_time(session.clock);
    let since = ticks.wrapping_sub(now);
    if since > session.ticks_per_second / 100 {
        return (0, 0);
    }
    let since = u128::from(since) * 1_000_000_000;
    let since_ns = since / u128::from(session.ticks_per_second);
    (boot_ns.saturating_sub(since_ns as u64), width)
}

/// Records an event on behalf of another thread, at a moment in the past. False if there is no room.
pub(super) fn event_of_other_thread(
    session: &Session,
    writer: &mut Writer,
    slot: &'static Slot,
    now: u64,
    kind: Kind,
    argument: u32,
) -> bool {
    let record = (kind, argument, 0);
    append(session, writer, slot, 0, now, record, Parts::NONE)
}

/// Closes the chunk of a writer that is done.
pub(super) fn close(session: &Session, writer: &Writer) {
    if writer.session == session.number && writer.room > 0 {
        session.close(writer.claimed);
    }
}

/// Leaves the chunk of a writer whose thread ends to the next thread, if the chunk has enough free space.
fn leave(session: &Session, writer: &Writer) {
    if writer.session == session.number && writer.used + MIN_LEFT <= writer.room {
        session.leave(writer.claimed);
    } else {
        close(session, writer);
    }
}

/// Called by the system with the slot of a thread that ends.
///
/// # Safety
/// `slot` is the slot of the calling thread.
pub(super) unsafe extern "C" fn thread_ends(slot: *mut c_void) {
    // SAFETY: guaranteed by the caller; slots are never freed.
    let slot = unsafe { &*slot.cast::<Slot>() };
    close_all(slot);
    slot.release();
}

/// Closes the chunks of a thread that ends.
fn close_all(slot: &Slot) {
    slot.depth.fetch_add(1, Ordering::SeqCst);
    // SAFETY: as in `with_writer`.
    let session = unsafe { CURRENT.load(Ordering::Acquire).as_ref() };
    for writer in slot.writers.iter().take(NESTINGS) {
        // SAFETY: only the thread itself uses its writers, and this is the thread.
        let writer = unsafe { &mut *writer.get() };
        if let Some(session) = session {
            leave(session, writer);
        }
        writer.session = 0;
        writer.room = 0;
    }
    slot.depth.fetch_sub(1, Ordering::SeqCst);
}
