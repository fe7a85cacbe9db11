//! The fast path: one event into the thread's chunk.
//!
//! Nothing here locks, allocates or calls the system, but for a thread's first event and, where all chunks are with
//! threads, a barrier. A signal handler may come in at any instruction: what it writes goes to a chunk of its own while
//! the thread is in the middle of a record.

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering, compiler_fence};

use traceloom_ring::layout::{
    CHUNK_HEADER_BYTES, MARK_CONTINUES, MARK_GOES_ON, chunk_at, header_at,
};
use traceloom_ring::{ClockSource, Kind, MAX_DELTA, word};

use super::session::{Session, Taken};
use super::text::{Parts, Words};
use super::threads::{self, Identity, NESTINGS, Slot, Writer};
use super::ticks;

/// The recording that is under way; null while there is none.
pub(crate) static CURRENT: AtomicPtr<Session> = AtomicPtr::new(std::ptr::null_mut());

/// Whether anything is recorded.
#[inline(always)]
pub fn is_recording() -> bool {
    !CURRENT.load(Ordering::Relaxed).is_null()
}

/// Whether methods are recorded with CPU time; beside the pointer, as a recording is not looked into unguarded.
pub(crate) static CPU_TIME: AtomicBool = AtomicBool::new(false);

/// Whether methods are recorded with the thread's CPU time.
#[inline(always)]
pub(crate) fn cpu_time() -> bool {
    CPU_TIME.load(Ordering::Relaxed)
}

/// Calls `with` with the recording, if there is one.
pub(crate) fn with_session(with: impl FnOnce(&Session)) {
    if is_recording() {
        with_writer(|session, _, _, _| with(session));
    }
}

/// Records an event without text; `value` counts where its kind has one.
#[inline(always)]
pub(crate) fn event(kind: Kind, argument: u32, value: u64) {
    if !is_recording() {
        return;
    }
    with_writer(|session, writer, slot, depth| {
        let now = ticks::now(session.clock);
        let bytes = 8 + u32::from(kind.has_value()) * 8;
        let delta = now.wrapping_sub(writer.last);
        if delta <= MAX_DELTA && has_room(session, writer, bytes) {
            let at = writer.body + writer.used as usize;
            let first = word(kind, delta, argument);
            session.map.u64(at).store(first, Ordering::Relaxed);
            if kind.has_value() {
                session.map.u64(at + 8).store(value, Ordering::Relaxed);
            }
            commit(session, writer, writer.used + bytes, now);
        } else {
            append(
                session,
                writer,
                slot,
                depth,
                now,
                (kind, argument, value),
                Parts::NONE,
            );
        }
    });
}

/// Records an event with text; more than half a chunk of it becomes a mark in several records.
pub(crate) fn text_event(kind: Kind, value: u64, text: &[u8]) {
    if !is_recording() {
        return;
    }
    with_writer(|session, writer, slot, depth| {
        let now = ticks::now(session.clock);
        let most = session.size / 2;
        if text.len() <= most {
            let record = (kind, text.len() as u32, value);
            append(session, writer, slot, depth, now, record, Parts::of(text));
            return;
        }
        let mut front = [0; 16];
        let mut back = [0; 24];
        let parts = Parts::as_mark(kind, session.pid, value, text, (&mut front, &mut back));
        let mut from = 0;
        while from < parts.len() {
            let part = (parts.len() - from).min(most);
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

/// Says that the thread writes, and gives it the recording and its writer.
#[inline(always)]
pub(super) fn with_writer(write: impl FnOnce(&Session, &mut Writer, &'static Slot, u32)) {
    let Some(slot) = threads::own().or_else(register) else {
        return;
    };
    let depth = slot.depth.load(Ordering::Relaxed);
    // Atomic in the sense of signals is enough: a handler leaves the number as it found it.
    slot.depth.store(depth + 1, Ordering::Relaxed);
    // A thief's barrier comes between these two; see `Session::take_oldest`.
    compiler_fence(Ordering::SeqCst);
    let session = CURRENT.load(Ordering::Acquire);
    // SAFETY: a recording is only taken away once it is not the current one and nobody says that he writes.
    if let Some(session) = unsafe { session.as_ref() } {
        match slot.writers.get(depth as usize) {
            // SAFETY: only this thread uses it, and what interrupts this thread finds another depth.
            Some(writer) => write(session, unsafe { &mut *writer.get() }, slot, depth),
            None => session.count(header_at::LOST_NESTED, 1),
        }
    }
    compiler_fence(Ordering::SeqCst);
    slot.depth.store(depth, Ordering::Release);
}

#[cold]
fn register() -> Option<&'static Slot> {
    let slot = threads::register();
    // SAFETY: as in `with_writer`, but for the saying: a thread without a slot cannot say it. It counts in a
    // recording that somebody may be ending at this moment only where 4096 threads live at once.
    if let (None, Some(session)) = (slot, unsafe { CURRENT.load(Ordering::Acquire).as_ref() }) {
        session.count(header_at::LOST_THREADS, 1);
    }
    slot
}

/// Whether the chunk is still the thread's, and has so many bytes left.
#[inline(always)]
fn has_room(session: &Session, writer: &Writer, bytes: u32) -> bool {
    writer.session == session.number
        && writer.used + bytes <= writer.room
        && session
            .claim(writer.body - CHUNK_HEADER_BYTES)
            .load(Ordering::Relaxed)
            == writer.taken.claim
}

/// The records up to `used` count from now on.
#[inline(always)]
fn commit(session: &Session, writer: &mut Writer, used: u32, now: u64) {
    writer.used = used;
    writer.last = now;
    let committed = writer.body - CHUNK_HEADER_BYTES + chunk_at::COMMITTED;
    session.map.u32(committed).store(used, Ordering::Release);
}

/// Any record, with a new chunk where it needs one. False where there is none.
#[cold]
#[inline(never)]
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
        super::fork::found_in(session);
        return false;
    }
    let bytes = 8 + u32::from(kind.has_value()) * 8 + text.len().next_multiple_of(8) as u32;
    // Room for the clock itself as well.
    if !has_room(session, writer, bytes + 16) && !open(session, writer, slot, depth, now) {
        session.count(header_at::LOST_FULL, 1);
        return false;
    }
    // The counters of two cores may be a few ticks apart.
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
        put(word(Kind::Time, 0, 0));
        put(now);
        delta = 0;
    }
    put(word(kind, delta, argument));
    if kind.has_value() {
        put(value);
    }
    let mut words = Words::new(put);
    text.each(|slice| words.push(slice));
    words.finish();
    commit(session, writer, (at - writer.body) as u32, now);
    true
}

/// Gives the writer an empty chunk, and its old one back.
fn open(session: &Session, writer: &mut Writer, slot: &'static Slot, depth: u32, now: u64) -> bool {
    let is_first = writer.session != session.number;
    if is_first {
        writer.session = session.number;
        writer.ordinal = 0;
        writer.identity = slot.identity();
    } else if writer.room > 0 {
        session.close(writer.taken);
    }
    writer.room = 0;
    writer.used = 0;
    writer.body = CHUNK_HEADER_BYTES;
    let Some(taken) = session.take(slot.index) else {
        // `has_room` reads the claim of a chunk: the first, and no claim is 0.
        writer.body = session.chunk_at(0) + CHUNK_HEADER_BYTES;
        writer.taken = Taken { chunk: 0, claim: 0 };
        return false;
    };
    fill_header(session, writer, taken, depth, now);
    writer.body = session.chunk_at(taken.chunk) + CHUNK_HEADER_BYTES;
    writer.room = (session.size - CHUNK_HEADER_BYTES) as u32;
    writer.taken = taken;
    writer.last = now;
    writer.ordinal += 1;
    true
}

fn fill_header(session: &Session, writer: &Writer, taken: Taken, depth: u32, now: u64) {
    let at = session.chunk_at(taken.chunk);
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
    session.claim(at).store(taken.claim, Ordering::Release);
}

/// `CLOCK_BOOTTIME` at a moment that has just been, and how far off that may be, ticks; zeros for one that is so long ago
/// that the clock's rate would count.
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

/// Records an event of another thread, which the calling one knows of, at a moment that has been. False where there is
/// no room.
pub(super) fn event_of(
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

/// Gives back the chunk of a writer that is done.
pub(super) fn close(session: &Session, writer: &Writer) {
    if writer.session == session.number && writer.room > 0 {
        session.close(writer.taken);
    }
}

/// Gives back the chunks of a thread that ends.
pub(crate) fn close_all(slot: &Slot) {
    slot.depth.fetch_add(1, Ordering::SeqCst);
    // SAFETY: as in `with_writer`.
    let session = unsafe { CURRENT.load(Ordering::Acquire).as_ref() };
    for writer in slot.writers.iter().take(NESTINGS) {
        // SAFETY: only the thread itself uses it, and that is ending.
        let writer = unsafe { &mut *writer.get() };
        if let Some(session) = session {
            close(session, writer);
        }
        writer.session = 0;
    }
    slot.depth.fetch_sub(1, Ordering::SeqCst);
}
