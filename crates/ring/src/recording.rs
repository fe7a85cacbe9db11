//! A ring file, read.

use std::collections::HashMap;

use crate::chunk::{ChunkHeader, ClaimState, Owner, state_of};
use crate::clock::ClockMap;
use crate::header::{FileHeader, OpenError};
use crate::layout::{CHUNK_HEADER_BYTES, HEADER_BYTES, NOTE_BYTES, chunks_at};
use crate::merge::Events;
use crate::note::{Note, NoteKind, read};

/// What is wrong with a file behind its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Chunks whose emptying was interrupted: what they held is gone.
    pub opening: u64,
    /// The first of them, bytes.
    pub first_opening: u64,
    /// Chunks that say they hold more than fits.
    pub overfull: u64,
    /// The first of them, bytes.
    pub first_overfull: u64,
    /// Chunks that the header promises and the file lacks.
    pub missing_chunks: u64,
    /// Bytes of the file's last chunk, where it is not whole.
    pub cut_chunk_bytes: u64,
}

/// A chunk with records.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Its header.
    pub header: ChunkHeader,
    /// The committed records, as far as they are in the file.
    pub body: &'a [u8],
    /// Where the records begin, bytes.
    pub offset: u64,
}

/// A thread of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its number in the recording.
    pub key: u32,
    /// Process, number and name, as its last chunk says.
    pub owner: Owner,
    /// A longer or newer name that a note tells.
    pub name: Option<Vec<u8>>,
    /// Chunks that are missing before those that are there: they gave way to newer ones.
    pub missing_before: u64,
    /// Chunks that are missing between those that are there: the file is damaged, or its process was killed when an
    /// older chunk than those was about to give way.
    pub missing_between: u64,
    /// Where the records behind the first that are missing so begin, bytes.
    pub first_missing: u64,
}

/// A ring file. It opens whatever happened to it behind its header.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// What the header says.
    pub header: FileHeader,
    /// What is wrong behind it.
    pub faults: Faults,
    threads: Vec<Thread>,
    chunks: Vec<Chunk<'a>>,
    /// Where the chunks of each thread and nesting begin; the thread's index with it.
    runs: Vec<(usize, usize)>,
    notes: Vec<Note>,
    clock: ClockMap,
}

impl<'a> Recording<'a> {
    /// Reads header and notes, and finds the chunks of each thread.
    ///
    /// # Errors
    /// If it is no ring file, or of a version from later days.
    pub fn open(bytes: &'a [u8]) -> Result<Self, OpenError> {
        let header = FileHeader::read(bytes)?;
        let cells = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let cells = &cells[..cells
            .len()
            .min((header.note_cells as usize).saturating_mul(NOTE_BYTES))];
        let notes = read(cells);
        let mut faults = Faults::default();
        let mut chunks = chunks(bytes, &header, &mut faults);
        chunks.sort_by_key(|chunk| {
            let header = &chunk.header;
            (header.thread, header.nesting, header.claim)
        });
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

    /// The threads, by their numbers in the recording.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The names of ids, in the order they were told.
    pub fn names(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let names = self.notes.iter().filter(|note| note.kind == NoteKind::Name);
        names.map(|note| (note.id, &note.text[..]))
    }

    /// Where methods stand: id, file and line, in the order they were told.
    pub fn sources(&self) -> impl Iterator<Item = (u32, (&[u8], Option<u32>))> {
        let of = |note: &&Note| note.kind == NoteKind::Source;
        let sources = self.notes.iter().filter(of);
        sources.map(|note| (note.id, note.source()))
    }

    /// The notes, in their order.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The chunks with records, by thread, nesting and age.
    pub fn chunks(&self) -> &[Chunk<'a>] {
        &self.chunks
    }

    /// The clock.
    pub fn clock(&self) -> &ClockMap {
        &self.clock
    }

    /// All events in order of time. Each thread's are in the order in which it wrote them.
    pub fn events(&self) -> Events<'_, 'a> {
        let ends = self.runs.iter().skip(1).map(|run| run.0);
        let ends = ends.chain([self.chunks.len()]);
        let runs = self.runs.iter().zip(ends);
        let runs = runs.map(|(&(first, thread), end)| (thread, &self.chunks[first..end]));
        Events::new(runs, &self.clock)
    }
}

/// The chunks that hold anything.
fn chunks<'a>(bytes: &'a [u8], header: &FileHeader, faults: &mut Faults) -> Vec<Chunk<'a>> {
    let (size, first) = (header.chunk_bytes as usize, chunks_at(header.note_cells));
    let all = bytes.get(first..).unwrap_or_default();
    let promised = header.chunk_count as usize;
    let there = all.len() / size;
    faults.missing_chunks = promised.saturating_sub(there) as u64;
    if there < promised {
        faults.cut_chunk_bytes = (all.len() % size) as u64;
    }
    let mut chunks = Vec::new();
    // A chunk that is cut may hold records before the cut.
    for (index, chunk) in all.chunks(size).take(promised).enumerate() {
        if chunk.len() < CHUNK_HEADER_BYTES {
            break;
        }
        let (head, body) = chunk.split_at(CHUNK_HEADER_BYTES);
        let offset = (first + index * size) as u64;
        let header = ChunkHeader::read(head);
        let mut committed = header.committed as usize;
        match state_of(header.claim) {
            ClaimState::Free => continue,
            ClaimState::Opening => {
                note_first(&mut faults.opening, &mut faults.first_opening, offset);
                continue;
            }
            ClaimState::Open | ClaimState::Closed => {}
        }
        if committed > size - CHUNK_HEADER_BYTES {
            note_first(&mut faults.overfull, &mut faults.first_overfull, offset);
            committed = size;
        }
        if committed > 0 {
            chunks.push(Chunk {
                header,
                body: &body[..committed.min(body.len())],
                offset: offset + CHUNK_HEADER_BYTES as u64,
            });
        }
    }
    chunks
}

fn note_first(count: &mut u64, first: &mut u64, offset: u64) {
    if *count == 0 {
        *first = offset;
    }
    *count += 1;
}

/// The threads of sorted chunks, and where the chunks of each thread and nesting begin.
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
