//! Reading a ring file.

use std::collections::HashMap;

use crate::chunk::{Chunk, ChunkHeader, ClaimState, Owner, state_of};
use crate::clock::ClockMap;
use crate::fault::count_fault;
use crate::header::{FileHeader, Losses, OpenError};
use crate::layout::{CHUNK_HEADER_BYTES, HEADER_BYTES, NOTE_BYTES, chunks_at};
use crate::merge::Events;
use crate::note::{Note, NoteKind, read};
use crate::record::count_events;

/// Damage found after the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Number of chunks whose header claims more data than a chunk holds.
    pub overfull: u64,
    /// Offset of the first of them, bytes.
    pub first_overfull: u64,
    /// Number of chunks announced by the header but missing in the file.
    pub missing_chunks: u64,
    /// Size of the last chunk if it is cut off, bytes.
    pub cut_chunk_bytes: u64,
}

/// A thread of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its number in the recording.
    pub key: u32,
    /// Process ID, thread ID and name, from its last chunk.
    pub owner: Owner,
    /// A longer or newer name from a note.
    pub name: Option<Vec<u8>>,
    /// Number of chunks missing before the first one: they were overwritten by newer ones.
    pub missing_before: u64,
    /// Number of chunks missing between others. The file is damaged, or its process was killed when an older chunk was
    /// about to be overwritten.
    pub missing_between: u64,
    /// Offset of the records after the first such gap, bytes.
    pub first_missing: u64,
}

/// An opened ring file. Damage after the header never prevents opening it.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// The file header. Its losses include chunks that were being emptied when the process died.
    pub header: FileHeader,
    /// Damage after the header.
    pub faults: Faults,
    threads: Vec<Thread>,
    /// Chunks with records, sorted by thread, nesting and age.
    chunks: Vec<Chunk<'a>>,
    /// For each thread and nesting: the index of its first chunk, and the index of the thread.
    runs: Vec<(usize, usize)>,
    notes: Vec<Note>,
    clock: ClockMap,
}

impl<'a> Recording<'a> {
    /// Reads the header and the notes, and finds the chunks of each thread.
    ///
    /// # Errors
    /// If this is not a ring file, if its version is newer than this crate, or if a header field is invalid.
    pub fn open(bytes: &'a [u8]) -> Result<Self, OpenError> {
        let mut header = FileHeader::read(bytes)?;
        let cells = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let cells = &cells[..cells
            .len()
            .min((header.note_cells as usize).saturating_mul(NOTE_BYTES))];
        let notes = read(cells);
        let mut faults = Faults::default();
        let mut chunks = chunks(bytes, &header, &mut faults);
        chunks.sort_by_key(order);
        give_up_gaps(&mut chunks, &mut header.losses);
        let syncs = chunks.iter().map(|chunk| {
            let header = &chunk.header;
            (header.base, header.sync_ns, header.sync_width)
        });
        let clock = ClockMap::new(&header, syncs);
        let (threads, runs) = threads(&chunks, &notes);
        Ok(Self {
            header,
            faults,
            threads,
            chunks,
            runs,
            notes,
            clock,
        })
    }

    /// The threads, ordered by their number in the recording.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The names of ids, in the order in which they were written.
    pub fn names(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let names = self.notes.iter().filter(|note| note.kind == NoteKind::Name);
        names.map(|note| (note.id, &note.text[..]))
    }

    /// The source locations of methods, in the order in which they were written: id, file and line.
    pub fn sources(&self) -> impl Iterator<Item = (u32, (&[u8], Option<u32>))> {
        let is_source = |note: &&Note| note.kind == NoteKind::Source;
        let sources = self.notes.iter().filter(is_source);
        sources.map(|note| (note.id, note.source()))
    }

    /// Converts the recording's clock to nanoseconds.
    pub fn clock(&self) -> &ClockMap {
        &self.clock
    }

    /// All events, ordered by time. The events of each thread keep the order in which it wrote them.
    pub fn events(&self) -> Events<'_, 'a> {
        let ends = self.runs.iter().skip(1).map(|run| run.0);
        let ends = ends.chain([self.chunks.len()]);
        let runs = self.runs.iter().zip(ends);
        let runs = runs.map(|(&(first, thread), end)| (thread, &self.chunks[first..end]));
        Events::new(runs, &self.clock)
    }
}

/// The chunks that hold records.
fn chunks<'a>(bytes: &'a [u8], header: &FileHeader, faults: &mut Faults) -> Vec<Chunk<'a>> {
    let (size, first) = (header.chunk_bytes as usize, chunks_at(header.note_cells));
    let all = bytes.get(first..).unwrap_or_default();
    let announced = header.chunk_count as usize;
    let present = all.len() / size;
    faults.missing_chunks = announced.saturating_sub(present) as u64;
    if present < announced {
        faults.cut_chunk_bytes = (all.len() % size) as u64;
    }
    let mut chunks = Vec::new();
    // The last chunk may be cut off, and still hold records before the cut.
    for (index, chunk) in all.chunks(size).take(announced).enumerate() {
        if chunk.len() < CHUNK_HEADER_BYTES {
            break;
        }
        let (head, body) = chunk.split_at(CHUNK_HEADER_BYTES);
        let offset = (first + index * size) as u64;
        let header = ChunkHeader::read(head);
        let mut committed = header.committed as usize;
        match state_of(header.claim) {
            ClaimState::Free => continue,
            // Until it is emptied, it still has its header and all its records.
            ClaimState::Opening | ClaimState::Open | ClaimState::Closed => {}
        }
        if committed > size - CHUNK_HEADER_BYTES {
            count_fault(&mut faults.overfull, &mut faults.first_overfull, offset);
            committed = size;
        }
        let chunk = Chunk {
            header,
            body: &body[..committed.min(body.len())],
            offset: offset + CHUNK_HEADER_BYTES as u64,
        };
        let state = header.claim & 3;
        chunk.parts(|mut part| {
            // The parts of a chunk have the state of the chunk.
            part.header.claim = part.header.claim & !3 | state;
            if !part.body.is_empty() {
                chunks.push(part);
            }
        });
    }
    chunks
}

fn is_taken(chunk: &Chunk<'_>) -> bool {
    state_of(chunk.header.claim) == ClaimState::Opening
}

/// The sort key of a chunk: thread, nesting and age. A chunk that was being taken from its thread already carries the
/// next thread's claim number, although it was the oldest chunk of all.
fn order(chunk: &Chunk<'_>) -> (u32, u8, u64, u32) {
    let header = &chunk.header;
    let (claim, ordinal) = if is_taken(chunk) {
        (0, header.ordinal)
    } else {
        (header.claim, 0)
    };
    (header.thread, header.nesting, claim, ordinal)
}

/// Removes chunks that were being taken from their thread and are followed by a gap. Newer chunks of the thread were
/// already overwritten, so these count as overwritten too. `chunks` are in [`order`].
fn give_up_gaps(chunks: &mut Vec<Chunk<'_>>, losses: &mut Losses) {
    let mut next: Option<ChunkHeader> = None;
    let mut kept = Vec::with_capacity(chunks.len());
    while let Some(chunk) = chunks.pop() {
        let run = |header: &ChunkHeader| (header.thread, header.nesting);
        let after = next.filter(|next| run(next) == run(&chunk.header));
        let is_gap = after.is_some_and(|next| next.missing_since(&chunk.header) > 0);
        if is_gap && is_taken(&chunk) {
            losses.dropped_chunks = losses.dropped_chunks.saturating_add(1);
            let events = losses.dropped_events.saturating_add(count(&chunk));
            losses.dropped_events = events;
        } else {
            next = Some(chunk.header);
            kept.push(chunk);
        }
    }
    kept.reverse();
    *chunks = kept;
}

/// The number of events in a chunk.
fn count(chunk: &Chunk<'_>) -> u64 {
    let (words, _) = chunk.body.as_chunks();
    let word = |word: usize| u64::from_le_bytes(words[word]);
    count_events(words.len(), word)
}

/// The threads of sorted chunks, and for each thread and nesting the index of its first chunk.
fn threads(chunks: &[Chunk<'_>], notes: &[Note]) -> (Vec<Thread>, Vec<(usize, usize)>) {
    let names = notes
        .iter()
        .filter(|note| note.kind == NoteKind::ThreadName);
    let names: HashMap<u32, &Note> = names.map(|note| (note.id, note)).collect();
    let mut threads: Vec<Thread> = Vec::new();
    let mut runs = Vec::new();
    let mut before: Option<&ChunkHeader> = None;
    for (index, chunk) in chunks.iter().enumerate() {
        let header = &chunk.header;
        let same_thread = before.is_some_and(|before| before.thread == header.thread);
        let same_run = same_thread && before.is_some_and(|before| before.nesting == header.nesting);
        if !same_thread {
            threads.push(Thread {
                key: header.thread,
                owner: header.owner,
                name: names.get(&header.thread).map(|note| note.text.clone()),
                missing_before: 0,
                missing_between: 0,
                first_missing: 0,
            });
        }
        let Some(thread) = threads.len().checked_sub(1) else {
            continue;
        };
        if !same_run {
            runs.push((index, thread));
        }
        match before.filter(|_| same_run) {
            Some(before) => {
                let missing = header.missing_since(before);
                if missing > 0 && threads[thread].missing_between == 0 {
                    threads[thread].first_missing = chunk.offset;
                }
                threads[thread].missing_between += u64::from(missing);
            }
            None => threads[thread].missing_before += u64::from(header.ordinal),
        }
        if header.nesting == 0 {
            threads[thread].owner = header.owner;
        }
        before = Some(header);
    }
    (threads, runs)
}
