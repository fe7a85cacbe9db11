//! The bytes of a trace: the file, and the packets that were compressed in it.

use std::sync::Arc;

/// The bits of a [`Span`]'s start that hold the offset in its part. The others are the number of the part.
const OFFSET_BITS: u32 = 40;

/// A message somewhere in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(4))]
pub(super) struct Span {
    start: u64,
    bytes: u32,
}

impl Span {
    /// The place of `inner`, which is a part of `outer`, the bytes of this span.
    pub fn of(self, outer: &[u8], inner: &[u8]) -> Span {
        let offset = (inner.as_ptr() as usize).wrapping_sub(outer.as_ptr() as usize);
        Span {
            start: self.start + offset as u64,
            // Messages have at most 2 GB.
            bytes: u32::try_from(inner.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Span {
    /// A number by which spans are in the order of the file. Blocks of compressed packets come after the rest.
    pub fn order(self) -> u64 {
        self.start
    }
}

/// The file is part 0; each block of compressed packets is a part of its own.
#[derive(Debug)]
pub(super) struct Source<'a> {
    file: &'a [u8],
    unpacked: Vec<Unpacked>,
}

#[derive(Debug)]
struct Unpacked {
    bytes: Arc<Vec<u8>>,
    /// The place of the compressed block in the file.
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

    /// The size of the file and of what was unpacked, bytes.
    pub fn bytes(&self) -> usize {
        let unpacked = self.unpacked.iter().map(|part| part.bytes.len());
        self.file.len() + unpacked.sum::<usize>()
    }

    /// Adds a part: the content of the compressed block at `offset` in the file.
    pub fn add(&mut self, bytes: Arc<Vec<u8>>, offset: u64) -> u64 {
        self.unpacked.push(Unpacked { bytes, offset });
        self.unpacked.len() as u64
    }

    /// The start of a part, from which spans in it are counted.
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

    /// The place of a span in the file: that of the compressed block, if it is in one.
    pub fn offset(&self, span: Span) -> u64 {
        match (span.start >> OFFSET_BITS) as usize {
            0 => span.start,
            part => self.unpacked.get(part - 1).map_or(0, |part| part.offset),
        }
    }

    /// The place in the file of bytes that are a part of it; 0 for bytes of a compressed block.
    pub fn offset_of(&self, bytes: &[u8]) -> u64 {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.file.as_ptr() as usize);
        if offset < self.file.len() {
            offset as u64
        } else {
            0
        }
    }
}
