//! Building a ring file in memory, by a single writer.

use crate::chunk::{ChunkHeader, ClaimState, Owner, claim_of};
use crate::events::What;
use crate::header::FileHeader;
use crate::layout::{
    CHUNK_HEADER_BYTES, MARK_CONTINUES, MARK_GOES_ON, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES, NOTE_BYTES,
    chunks_at,
};
use crate::note::{NoteKind, note_cells};
use crate::record::{Fields, Kind, MAX_DELTA, fields, first_word};

/// A thread of an [`Image`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnerIndex(usize);

#[derive(Debug)]
struct Writer {
    owner: Owner,
    /// The chunk it writes to.
    chunk: Option<usize>,
    /// Bytes of records in that chunk.
    used: usize,
    last_ticks: u64,
    ordinal: u32,
}

/// A ring file that is being built in memory.
#[derive(Debug)]
pub struct Image {
    header: FileHeader,
    notes: Vec<u8>,
    chunks: Vec<u8>,
    writers: Vec<Writer>,
}

impl Image {
    /// An empty file. A chunk size outside the allowed range is replaced by the nearest allowed one.
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

    /// Adds a thread to write events for.
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

    /// Adds a note: the name of an id, for example.
    pub fn note(&mut self, kind: NoteKind, id: u32, text: &[u8]) {
        self.notes.extend(note_cells(kind, id, text).flatten());
    }

    /// Adds a thread name that is too long for the chunk headers.
    pub fn name_owner(&mut self, owner: OwnerIndex, name: &[u8]) {
        self.note(NoteKind::ThreadName, owner.0 as u32 + 1, name);
    }

    /// Adds an event of a thread. If its name fills more than half a chunk, the event becomes a mark, which may
    /// continue in the next chunk.
    pub fn push(&mut self, owner: OwnerIndex, ticks: u64, what: &What<'_>) {
        let max_text = self.header.chunk_bytes as usize / 2;
        match (fields(what), what) {
            (Some(fields), _) if fields.text.len() <= max_text => {
                self.record(owner, ticks, fields);
            }
            (_, What::Mark(payload)) => self.mark(owner, ticks, payload, max_text),
            _ => {
                let mut payload = Vec::new();
                let pid = self.writers[owner.0].owner.pid;
                what.write_mark(pid, |_| None, &mut payload);
                self.mark(owner, ticks, &payload, max_text);
            }
        }
    }

    fn mark(&mut self, owner: OwnerIndex, ticks: u64, payload: &[u8], max_text: usize) {
        let mut rest = payload;
        let mut flags = 0;
        loop {
            let (text, after) = rest.split_at(rest.len().min(max_text));
            if !after.is_empty() {
                flags |= MARK_GOES_ON;
            }
            let fields = Fields {
                kind: Kind::Mark,
                argument: text.len() as u32 | flags,
                value: 0,
                text,
            };
            self.record(owner, ticks, fields);
            if after.is_empty() {
                return;
            }
            (rest, flags) = (after, MARK_CONTINUES);
        }
    }

    fn record(&mut self, owner: OwnerIndex, ticks: u64, fields: Fields<'_>) {
        let Fields {
            kind,
            argument,
            value,
            text,
        } = fields;
        let size = 8 + usize::from(kind.has_value()) * 8 + text.len().next_multiple_of(8);
        let writer = &self.writers[owner.0];
        // Leave room for a time record, 16 bytes.
        let room = self.header.chunk_bytes as usize - CHUNK_HEADER_BYTES - writer.used;
        if writer.chunk.is_none() || room < size + 16 {
            self.open(owner, ticks);
        }
        let mut delta = ticks.wrapping_sub(self.writers[owner.0].last_ticks);
        if delta > MAX_DELTA {
            self.put(owner, &first_word(Kind::Time, 0, 0).to_le_bytes());
            self.put(owner, &ticks.to_le_bytes());
            delta = 0;
        }
        self.put(owner, &first_word(kind, delta, argument).to_le_bytes());
        if kind.has_value() {
            self.put(owner, &value.to_le_bytes());
        }
        self.put(owner, text);
        let padding = text.len().next_multiple_of(8) - text.len();
        self.put(owner, &[0; 8][..padding]);
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
            is_shared: false,
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

    /// The bytes of the file.
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
