//! Parses as much of the headers of a Zstandard stream (RFC 8878, 3.1) as is needed to find where
//! blocks end.

use crate::bytes::{Cursor, le_u32, le_uint};

/// Bytes of the checksum after a frame's last block.
pub(super) const CHECKSUM: usize = 4;

/// Bytes of a skippable frame's header.
pub(super) const SKIPPABLE_HEADER: usize = 8;

/// The item at a position where a frame may begin.
pub(super) enum Head {
    Frame(FrameHeader),
    /// A frame that decoders skip, and its length without the header.
    Skippable(u64),
    TooShort,
    Other,
}

/// A frame's header.
pub(super) struct FrameHeader {
    /// Bytes of the header.
    pub bytes: usize,
    /// Bytes of earlier output that a block may refer to.
    pub window: u64,
    /// Whether a checksum follows the last block.
    pub checksum: bool,
    /// The id of the required dictionary; 0 for none.
    dictionary: u32,
}

impl Head {
    pub fn parse(bytes: &[u8]) -> Self {
        const FRAME: u32 = 0xfd2f_b528;
        const SKIPPABLE: u32 = 0x184d_2a50;
        let Some(magic) = le_u32(bytes, 0) else {
            return Self::TooShort;
        };
        match magic {
            FRAME => FrameHeader::parse(bytes).map_or(Self::TooShort, Self::Frame),
            _ if magic & !0xf == SKIPPABLE => {
                le_u32(bytes, 4).map_or(Self::TooShort, |length| Self::Skippable(length.into()))
            }
            _ => Self::Other,
        }
    }
}

impl FrameHeader {
    /// ```text
    /// magic 4 · descriptor 1 · window 0/1 · dictionary id 0/1/2/4 · content size 0/1/2/4/8
    /// ```
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut input = Cursor::little_endian(bytes);
        let (_, descriptor) = (input.u32()?, input.u8()?);
        let single_segment = descriptor & 0x20 != 0;
        let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let size_bytes = match descriptor >> 6 {
            0 => u64::from(single_segment),
            flag => 1 << flag,
        };
        let window_byte = if single_segment {
            None
        } else {
            Some(input.u8()?)
        };
        let dictionary = le_uint(input.take(dictionary_bytes)?) as u32;
        let content_size = content_size(input.take(size_bytes)?);
        Some(Self {
            bytes: bytes.len() - input.rest().len(),
            window: window_byte.map_or(content_size, window_size),
            checksum: descriptor & 4 != 0,
            dictionary,
        })
    }

    /// The same header with this window (at least 1 KB, rounded up to what the format can express).
    /// The content size and the checksum flag are left out, because this reader checks them itself.
    pub fn with_window(&self, window: u64) -> [u8; 10] {
        const DICTIONARY_OF_FOUR_BYTES: u8 = 3;
        let mut header = [
            0x28,
            0xb5,
            0x2f,
            0xfd,
            DICTIONARY_OF_FOUR_BYTES,
            0,
            0,
            0,
            0,
            0,
        ];
        header[5] = (0..=u8::MAX)
            .find(|&byte| window_size(byte) >= window)
            .unwrap_or(u8::MAX);
        header[6..].copy_from_slice(&self.dictionary.to_le_bytes());
        header
    }
}

fn window_size(byte: u8) -> u64 {
    let base = 1u64 << (10 + (byte >> 3));
    base + base / 8 * u64::from(byte & 7)
}

fn content_size(field: &[u8]) -> u64 {
    // The two-byte field is used for sizes that do not fit the one-byte field, so it counts from
    // 256.
    let shift = if field.len() == 2 { 256 } else { 0 };
    le_uint(field).saturating_add(shift)
}

/// A block's header.
#[derive(Clone, Copy)]
pub(super) struct BlockHeader {
    /// Whether the frame ends with it.
    pub last: bool,
    content: usize,
}

impl BlockHeader {
    const BYTES: usize = 3;

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        const REPEATED_BYTE: u64 = 1;
        let bits = le_uint(bytes.get(..Self::BYTES)?);
        let content = match bits >> 1 & 3 {
            REPEATED_BYTE => 1,
            _ => (bits >> 3) as usize,
        };
        Some(Self {
            last: bits & 1 != 0,
            content,
        })
    }

    /// Bytes of the block with its header.
    pub fn bytes(self) -> usize {
        Self::BYTES + self.content
    }
}
