//! Stacks of other threads, which somebody samples: kept as calls.
//!
//! ```text
//! sample 1   main ── a ── b            enter main, a, b
//! sample 2   main ── a ── c            exit b, enter c: what both stacks begin with stays open
//! sample 3   (the thread has ended)    exit c, a, main
//! ```
//!
//! The sampling thread writes them, into chunks that each sampled thread has of its own. So a sample is events like all
//! others: it survives a crash, stands on the time line of marks and sections, and is read by whoever reads calls.

use std::time::Duration;

use traceloom_ring::layout::{SAMPLED_TID, THREAD_NAME_BYTES, header_at};
use traceloom_ring::{Kind, NoteKind};

use super::notes;
use super::session::{Session, Taken};
use super::threads::{self, Identity, Slot, Writer};
use super::ticks;
use super::write::{close, event_of, with_session, with_writer};

/// In the place of the number of methods that were entered: the thread has ended.
pub(crate) const ENDED: u32 = u32::MAX;

/// The threads that are sampled; a place is given to another thread when its own has ended.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    threads: Vec<Option<Sampled>>,
}

#[derive(Debug)]
struct Sampled {
    writer: Writer,
    /// The methods of the last sample, the outermost first.
    open: Vec<u32>,
}

/// Says how often stacks are going to be sampled.
pub(crate) fn begin(every: Duration) {
    let ns = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
    with_session(|session| session.count(header_at::SAMPLE_NS, ns));
}

/// The recording's clock, for the time of a sample; 0 where nothing is recorded.
pub(crate) fn now() -> u64 {
    let mut now = 0;
    with_session(|session| now = ticks::now(session.clock));
    now
}

/// Makes a place for a thread that nobody sampled before; `number` is the virtual machine's. `None` where nothing is
/// recorded.
pub(crate) fn thread(number: u32, name: &[u8]) -> Option<u32> {
    let mut place = None;
    with_session(|session| {
        let Ok(mut stacks) = session.stacks.try_lock() else {
            return;
        };
        let key = threads::next_key();
        if name.len() >= THREAD_NAME_BYTES {
            notes::put(session, NoteKind::ThreadName, key, name);
        }
        place = Some(stacks.add(Sampled::new(session, key, number, name)));
    });
    place
}

/// Tells the name of a method, and the file and line where it stands. False where there is no room for them.
pub(crate) fn method(id: u32, name: &[u8], source: &[u8]) -> bool {
    let mut is_told = false;
    with_session(|session| {
        is_told = notes::put(session, NoteKind::Name, id, name)
            && (source.is_empty() || notes::put(session, NoteKind::Source, id, source));
    });
    is_told
}

/// Takes a sample: for each thread whose stack is another than before, its place, how many methods it has left, how
/// many it has entered (or [`ENDED`]), and their ids, the outermost first. False where not all of it found room.
pub(crate) fn sample(ticks: u64, changes: &[u32]) -> bool {
    let mut is_kept = false;
    with_writer(|session, _, slot, _| {
        if let Ok(mut stacks) = session.stacks.try_lock() {
            session.count(header_at::SAMPLES, 1);
            is_kept = stacks.take(session, slot, ticks, changes);
        }
    });
    is_kept
}

impl Stacks {
    fn add(&mut self, sampled: Sampled) -> u32 {
        let free = self.threads.iter().position(Option::is_none);
        let place = free.unwrap_or(self.threads.len());
        match self.threads.get_mut(place) {
            Some(thread) => *thread = Some(sampled),
            None => self.threads.push(Some(sampled)),
        }
        place as u32
    }

    fn take(&mut self, session: &Session, slot: &'static Slot, now: u64, changes: &[u32]) -> bool {
        let (mut rest, mut is_kept) = (changes, true);
        while let [place, left, entered, after @ ..] = rest {
            let ids = if *entered == ENDED { 0 } else { *entered };
            let (ids, after) = after.split_at((ids as usize).min(after.len()));
            rest = after;
            let Some(thread) = self.threads.get_mut(*place as usize) else {
                continue;
            };
            if let Some(sampled) = thread {
                let mut event = |kind, id| {
                    is_kept &= event_of(session, &mut sampled.writer, slot, now, kind, id);
                };
                let kept = sampled.open.len().saturating_sub(*left as usize);
                let exits = sampled.open.drain(kept..).rev();
                exits.for_each(|id| event(Kind::Exit, id));
                ids.iter().for_each(|id| event(Kind::Enter, *id));
                sampled.open.extend(ids);
            }
            if *entered == ENDED
                && let Some(sampled) = thread.take()
            {
                close(session, &sampled.writer);
            }
        }
        is_kept
    }
}

impl Sampled {
    fn new(session: &Session, key: u32, number: u32, name: &[u8]) -> Self {
        let mut short = [0; THREAD_NAME_BYTES];
        let length = name.len().min(THREAD_NAME_BYTES - 1);
        short[..length].copy_from_slice(&name[..length]);
        Self {
            writer: Writer {
                session: session.number,
                body: 0,
                used: 0,
                // It takes its first chunk with its first event.
                room: 0,
                taken: Taken { chunk: 0, claim: 0 },
                last: 0,
                ordinal: 0,
                identity: Identity {
                    key,
                    tid: SAMPLED_TID | number & (SAMPLED_TID - 1),
                    name: short,
                },
            },
            open: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use traceloom_ring::{Recording, What};

    use super::*;
    use crate::recorder::{Options, start, stop};

    /// `number of the thread: the letters of the methods that are entered, and of those that are left`.
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
        assert_eq!(second, first, "the place is free again");
        assert!(sample(now(), &[second, 0, 1, 3, second, 9, 0]));
        // Not what a sampler says, and no reason to fall over.
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
