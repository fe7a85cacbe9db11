//! A ring file that is made at once, by one writer.

use crate::chunk::{ChunkHeader, ClaimState, Owner, claim_of};
use crate::events::What;
use crate::header::FileHeader;
use crate::layout::{
    CHUNK_HEADER_BYTES, MARK_CONTINUES, MARK_GOES_ON, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES, NOTE_BYTES,
    chunks_at,
};
use crate::note::{NoteKind, note_cells};
use crate::record::{Kind, MAX_DELTA, pieces, word};

/// A thread of an [`Image`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnerIndex(usize);

#[derive(Debug)]
struct Writer {
    owner: Owner,
    /// The chunk it writes to, and how full that is.
    chunk: Option<usize>,
    used: usize,
    last_ticks: u64,
    ordinal: u32,
}

/// A ring file in memory.
#[derive(Debug)]
pub struct Image {
    header: FileHeader,
    notes: Vec<u8>,
    chunks: Vec<u8>,
    writers: Vec<Writer>,
}

impl Image {
    /// An empty one; sizes of `header` that a file cannot have become the nearest that it can.
    pub fn new(mut header: FileHeader) -> Self {
        let sizes = (MIN_CHUNK_BYTES as u32, MAX_CHUNK_BYTES as u32);
        header.chunk_bytes = header
            .chunk_bytes
            .clamp(sizes.0, sizes.1)
            .next_power_of_two();
        Self {
            header,
            notes: Vec::new(),
            chunks: Vec::new(),
            writers: Vec::new(),
        }
    }

    /// Adds a thread.
    pub fn owner(&mut self, owner: Owner) -> OwnerIndex {
        self.writers.push(Writer {
            owner,
            chunk: None,
            used: 0,
            last_ticks: 0,
            ordinal: 0,
        });
        OwnerIndex(self.writers.len() - 1)
    }

    /// Notes a name.
    pub fn note(&mut self, kind: NoteKind, id: u32, text: &[u8]) {
        self.notes.extend(note_cells(kind, id, text).flatten());
    }

    /// Notes the name of a thread where its chunks have no room for all of it.
    pub fn name_owner(&mut self, owner: OwnerIndex, name: &[u8]) {
        self.note(NoteKind::ThreadName, owner.0 as u32 + 1, name);
    }

    /// Adds an event of a thread. One whose name fills more than half a chunk becomes a mark, which
    /// may go on in the next chunk.
    pub fn push(&mut self, owner: OwnerIndex, ticks: u64, what: &What<'_>) {
        let most = self.header.chunk_bytes as usize / 2;
        match (pieces(what), what) {
            (Some((kind, argument, value, text)), _) if text.len() <= most => {
                self.record(owner, ticks, kind, argument, value, text);
            }
            (_, What::Mark(payload)) => self.mark(owner, ticks, payload, most),
            _ => {
                let mut payload = Vec::new();
                let pid = self.writers[owner.0].owner.pid;
                what.write_mark(pid, |_| None, &mut payload);
                self.mark(owner, ticks, &payload, most);
            }
        }
    }

    fn mark(&mut self, owner: OwnerIndex, ticks: u64, payload: &[u8], most: usize) {
        let mut rest = payload;
        let mut flags = 0;
        loop {
            let (part, after) = rest.split_at(rest.len().min(most));
            if !after.is_empty() {
                flags |= MARK_GOES_ON;
            }
            self.record(owner, ticks, Kind::Mark, part.len() as u32 | flags, 0, part);
            if after.is_empty() {
                return;
            }
            (rest, flags) = (after, MARK_CONTINUES);
        }
    }

    fn record(
        &mut self,
        owner: OwnerIndex,
        ticks: u64,
        kind: Kind,
        argument: u32,
        value: u64,
        text: &[u8],
    ) {
        let size = 8 + usize::from(kind.has_value()) * 8 + text.len().next_multiple_of(8);
        let writer = &self.writers[owner.0];
        // Room for the clock itself as well.
        let room = self.header.chunk_bytes as usize - CHUNK_HEADER_BYTES - writer.used;
        if writer.chunk.is_none() || room < size + 16 {
            self.open(owner, ticks);
        }
        let mut delta = ticks.wrapping_sub(self.writers[owner.0].last_ticks);
        if delta > MAX_DELTA {
            self.put(owner, &word(Kind::Time, 0, 0).to_le_bytes());
            self.put(owner, &ticks.to_le_bytes());
            delta = 0;
        }
        self.put(owner, &word(kind, delta, argument).to_le_bytes());
        if kind.has_value() {
            self.put(owner, &value.to_le_bytes());
        }
        self.put(owner, text);
        let filled = text.len().next_multiple_of(8) - text.len();
        self.put(owner, &[0; 8][..filled]);
        self.commit(owner, ticks);
    }

    fn put(&mut self, owner: OwnerIndex, bytes: &[u8]) {
        let writer = &mut self.writers[owner.0];
        let chunk = writer.chunk.unwrap_or(0) * self.header.chunk_bytes as usize;
        let at = chunk + CHUNK_HEADER_BYTES + writer.used;
        self.chunks[at..at + bytes.len()].copy_from_slice(bytes);
        writer.used += bytes.len();
    }

    fn open(&mut self, owner: OwnerIndex, ticks: u64) {
        let size = self.header.chunk_bytes as usize;
        let index = self.chunks.len() / size;
        self.chunks.resize(self.chunks.len() + size, 0);
        let writer = &mut self.writers[owner.0];
        let header = ChunkHeader {
            claim: claim_of(index as u64 + 1, ClaimState::Closed),
            committed: 0,
            thread: owner.0 as u32 + 1,
            base: ticks,
            sync_ns: 0,
            sync_width: 0,
            owner: writer.owner,
            nesting: 0,
            ordinal: writer.ordinal,
        };
        self.chunks[index * size..][..CHUNK_HEADER_BYTES].copy_from_slice(&header.to_bytes());
        writer.chunk = Some(index);
        writer.used = 0;
        writer.ordinal += 1;
        writer.last_ticks = ticks;
    }

    fn commit(&mut self, owner: OwnerIndex, ticks: u64) {
        let writer = &mut self.writers[owner.0];
        writer.last_ticks = ticks;
        let at = writer.chunk.unwrap_or(0) * self.header.chunk_bytes as usize;
        let committed = writer.used as u32;
        crate::bytes::put_u32(
            &mut self.chunks,
            at + crate::layout::chunk_at::COMMITTED,
            committed,
        );
    }

    /// The file.
    pub fn into_bytes(mut self) -> Vec<u8> {
        let header = &mut self.header;
        header.note_cells = (self.notes.len() / NOTE_BYTES) as u32;
        header.notes_used = header.note_cells;
        header.chunk_count = (self.chunks.len() / header.chunk_bytes as usize) as u32;
        let mut bytes = header.to_bytes().to_vec();
        bytes.append(&mut self.notes);
        bytes.resize(chunks_at(header.note_cells), 0);
        bytes.append(&mut self.chunks);
        bytes
    }
}
