//! The bytes of a trace: the file and its decompressed packets.

use std::sync::Arc;

/// The low bits of a [`Span`]'s start are the offset in its part. The high bits are the number of the part.
const OFFSET_BITS: u32 = 40;

/// The location of a message in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(4))]
pub(super) struct Span {
    start: u64,
    bytes: u32,
}

impl Span {
    /// The span of `inner`, a subslice of `outer`. `outer` is the bytes of this span.
    pub fn of(self, outer: &[u8], inner: &[u8]) -> Span {
        let offset = (inner.as_ptr() as usize).wrapping_sub(outer.as_ptr() as usize);
        Span {
            start: self.start + offset as u64,
            // Messages are at most 2 GB long.
            bytes: u32::try_from(inner.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Span {
    /// A sort key for file order. Spans in compressed packets come after all others.
    pub fn order(self) -> u64 {
        self.start
    }
}

/// The file is part 0. Each block of compressed packets is another part.
#[derive(Debug)]
pub(super) struct Source<'a> {
    file: &'a [u8],
    unpacked: Vec<Unpacked>,
}

#[derive(Debug)]
struct Unpacked {
    bytes: Arc<Vec<u8>>,
    /// The offset of the compressed block in the file.
    offset: u64,
}

impl<'a> Source<'a> {
    pub fn new(file: &'a [u8]) -> Self {
        Self {
            file,
            unpacked: Vec::new(),
        }
    }

    pub fn file(&self) -> &'a [u8] {
        self.file
    }

    /// The size of the file plus all decompressed blocks, bytes.
    pub fn bytes(&self) -> usize {
        let unpacked = self.unpacked.iter().map(|part| part.bytes.len());
        self.file.len() + unpacked.sum::<usize>()
    }

    /// Adds the decompressed content of the block at `offset` in the file. Returns the number of the new part.
    pub fn add(&mut self, bytes: Arc<Vec<u8>>, offset: u64) -> u64 {
        self.unpacked.push(Unpacked { bytes, offset });
        self.unpacked.len() as u64
    }

    /// The empty span at the start of a part, from which the spans in the part are derived.
    pub fn start(part: u64) -> Span {
        Span {
            start: part << OFFSET_BITS,
            bytes: 0,
        }
    }

    /// The bytes of a span.
    pub fn get(&self, span: Span) -> &[u8] {
        let offset = (span.start & ((1 << OFFSET_BITS) - 1)) as usize;
        let part = match (span.start >> OFFSET_BITS) as usize {
            0 => self.file,
            part => self
                .unpacked
                .get(part - 1)
                .map_or(&[][..], |part| &part.bytes),
        };
        part.get(offset..offset + span.bytes as usize)
            .unwrap_or_default()
    }

    /// The offset of a span in the file. For a span in a compressed block, the offset of the block.
    pub fn offset(&self, span: Span) -> u64 {
        match (span.start >> OFFSET_BITS) as usize {
            0 => span.start,
            part => self.unpacked.get(part - 1).map_or(0, |part| part.offset),
        }
    }

    /// The offset in the file of a subslice of it; 0 for bytes of a compressed block.
    pub fn offset_of(&self, bytes: &[u8]) -> u64 {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.file.as_ptr() as usize);
        if offset < self.file.len() {
            offset as u64
        } else {
            0
        }
    }
}
