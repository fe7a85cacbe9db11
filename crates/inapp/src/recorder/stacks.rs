//! Recording sampled stacks as calls.
//!
//! ```text
//! sample 1   main ── a ── b            enter main, a, b
//! sample 2   main ── a ── c            exit b, enter c: the common frames stay open
//! sample 3   (the thread has ended)    exit c, a, main
//! ```
//!
//! The sampling thread writes the events, into separate chunks for each sampled thread. So samples are events like all
//! others: they survive a crash, share the time line with marks and sections, and every reader of calls can read them.

use std::time::Duration;

use traceloom_ring::layout::{THREAD_NAME_BYTES, header_at};
use traceloom_ring::{Kind, NoteKind};

use super::notes;
use super::sampled::{SampledThread, SampledThreads};
use super::session::Session;
use super::threads::{self, Slot};
use super::ticks;
use super::write::{close, event_of_other_thread, with_session, with_writer};

/// Replaces the number of entered methods when the thread has ended.
pub(crate) const ENDED: u32 = u32::MAX;

/// Notes the interval of stack sampling in the file.
pub(crate) fn begin(every: Duration) {
    let ns = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
    with_session(|session| session.add(header_at::SAMPLE_NS, ns));
}

/// The current time on the recording's clock, ticks; 0 if nothing is recorded.
pub(crate) fn now() -> u64 {
    let mut now = 0;
    with_session(|session| now = ticks::now(session.clock));
    now
}

/// Adds a thread to be sampled and returns its index. `number` is the virtual machine's number of the thread. `None` if
/// nothing is recorded.
pub(crate) fn thread(number: u32, name: &[u8]) -> Option<u32> {
    let mut index = None;
    with_session(|session| {
        let Ok(mut stacks) = session.stacks.try_lock() else {
            return;
        };
        let key = threads::next_key();
        if name.len() >= THREAD_NAME_BYTES {
            notes::put(session, NoteKind::ThreadName, key, name);
        }
        let thread = SampledThread::new(session.number, key, number, name);
        index = Some(stacks.add(thread));
    });
    index
}

/// Writes the name of a method, and its file and line if known. False if there is no room.
pub(crate) fn method(id: u32, name: &[u8], source: &[u8]) -> bool {
    let mut is_written = false;
    with_session(|session| {
        is_written = notes::put(session, NoteKind::Name, id, name)
            && (source.is_empty() || notes::put(session, NoteKind::Source, id, source));
    });
    is_written
}

/// Records a sample. `changes` holds, for each thread whose stack changed: the index of the thread,
/// the number of methods left, the number of methods entered (or [`ENDED`]), and the ids of the
/// entered methods, outermost first. False if there was not room for all events.
pub(crate) fn sample(ticks: u64, changes: &[u32]) -> bool {
    let mut has_room = false;
    with_writer(|session, _, slot, _| {
        if let Ok(mut stacks) = session.stacks.try_lock() {
            session.add(header_at::SAMPLES, 1);
            has_room = record_changes(session, &mut stacks, slot, ticks, changes);
        }
    });
    has_room
}

fn record_changes(
    session: &Session,
    stacks: &mut SampledThreads,
    slot: &'static Slot,
    now: u64,
    changes: &[u32],
) -> bool {
    let (mut rest, mut has_room) = (changes, true);
    while let [index, left, entered, after @ ..] = rest {
        let ids = if *entered == ENDED { 0 } else { *entered };
        let (ids, after) = after.split_at((ids as usize).min(after.len()));
        rest = after;
        let Some(place) = stacks.0.get_mut(*index as usize) else {
            continue;
        };
        if let Some(thread) = place {
            let mut event = |kind, id| {
                let writer = &mut thread.writer;
                has_room &= event_of_other_thread(session, writer, slot, now, kind, id);
            };
            let still_open = thread.open.len().saturating_sub(*left as usize);
            let exits = thread.open.drain(still_open..).rev();
            exits.for_each(|id| event(Kind::Exit, id));
            ids.iter().for_each(|id| event(Kind::Enter, *id));
            thread.open.extend(ids);
        }
        if *entered == ENDED
            && let Some(thread) = place.take()
        {
            close(session, &thread.writer);
        }
    }
    has_room
}

#[cfg(test)]
mod tests {
    use traceloom_ring::{Recording, What};

    use super::*;
    use crate::recorder::{Options, start, stop};

    /// The calls as text: the thread's number, and a letter for the method.
    fn calls(ring: &[u8]) -> Vec<String> {
        let recording = Recording::open(ring).unwrap();
        let threads = recording.threads();
        let letter = |id| char::from(b'a' + id as u8);
        let shown = recording.events().map(|event| {
            let number = threads[event.thread].owner.sampled_number().unwrap();
            match event.what {
                What::Enter { id, .. } => format!("{number}: {}", letter(id)),
                What::Exit { id, .. } => format!("{number}: {} ends", letter(id)),
                other => format!("{other:?}"),
            }
        });
        shown.collect()
    }

    #[test]
    fn samples_become_calls() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(thread(7, b"x"), None, "nothing is recorded");
        assert!(!sample(0, &[]));
        start(&Options::new(folder.path().join("a.ring"))).unwrap();
        begin(Duration::from_millis(2));
        let first = thread(7, b"a name of more than 15 bytes").unwrap();
        assert!(sample(now(), &[first, 0, 2, 0, 1]));
        assert!(sample(now(), &[first, 1, 1, 2]));
        assert!(sample(now(), &[first, 2, ENDED]));
        let second = thread(8, b"next").unwrap();
        assert_eq!(second, first, "the index is free again");
        assert!(sample(now(), &[second, 0, 1, 3, second, 9, 0]));
        // Invalid indices and counts are ignored.
        assert!(sample(now(), &[99, 1, 1, 0, second, 0, 5, 4]));
        assert!(method(3, b"a.B d (...)", b"B.java:4"));
        let bytes = std::fs::read(stop().unwrap()).unwrap();
        assert_eq!(
            calls(&bytes),
            [
                "7: a",
                "7: b",
                "7: b ends",
                "7: c",
                "7: c ends",
                "7: a ends",
                "8: d",
                "8: d ends",
                "8: e"
            ]
        );
        let recording = Recording::open(&bytes).unwrap();
        let header = &recording.header;
        assert_eq!((header.sample_ns, header.samples), (2_000_000, 5));
        let name = recording.threads()[0].name.as_deref();
        assert_eq!(name, Some(&b"a name of more than 15 bytes"[..]));
        let sources: Vec<_> = recording.sources().collect();
        assert_eq!(sources, [(3, (&b"B.java"[..], Some(4)))]);
    }
}
