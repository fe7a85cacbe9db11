//! A header: the block that precedes each member.

/// The size of a block, bytes.
pub(super) const BLOCK: usize = 512;

/// The maximum length of a name, bytes.
const LONGEST_NAME: usize = 4_096;

/// A block that may be a header.
#[derive(Clone, Copy)]
pub(super) struct Header<'a>(pub &'a [u8; BLOCK]);

impl Header<'_> {
    /// The type of the member.
    pub fn kind(self) -> u8 {
        self.0[156]
    }

    /// The size of the content, bytes.
    pub fn size(self) -> Option<u64> {
        number(&self.0[124..136])
    }

    /// The name, without the attributes from other members.
    pub fn name(self) -> String {
        let (name, prefix) = (text(&self.0[..100]), text(&self.0[345..500]));
        // GNU's older headers use these bytes for other fields.
        if &self.0[257..263] == b"ustar\0" && !prefix.is_empty() {
            format!("{prefix}/{name}")
        } else {
            name
        }
    }

    /// The name of a link's target.
    pub fn link(self) -> String {
        text(&self.0[157..257])
    }

    /// Whether further blocks with the map of a sparse file come before the content.
    pub fn has_map(self) -> bool {
        self.kind() == b'S' && self.0[482] == 1
    }

    /// Whether the block has the magic number, which headers have since 1988, and a valid checksum.
    pub fn begins_archive(self) -> bool {
        &self.0[257..262] == b"ustar" && self.is_valid()
    }

    /// Whether the checksum is valid: the sum of all bytes, with the bytes of the checksum counted as spaces.
    pub fn is_valid(self) -> bool {
        let bytes = self.0.iter().enumerate();
        let sum: u64 = bytes
            .map(|(at, byte)| match at {
                148..156 => u64::from(b' '),
                _ => u64::from(*byte),
            })
            .sum();
        number(&self.0[148..156]) == Some(sum)
    }
}

/// Parses a number: octal text, padded with spaces and zero bytes. In GNU's archives it may be binary, which is marked
/// by the first bit.
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        let (high, low) = rest.split_at(rest.len().saturating_sub(8));
        let fits = high.iter().all(|byte| *byte == 0);
        let value = low
            .iter()
            .fold(0, |value, byte| value << 8 | u64::from(*byte));
        return fits.then_some(value);
    }
    let digits = text(field);
    u64::from_str_radix(digits.trim(), 8).ok()
}

/// A text up to its first zero byte.
pub(super) fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0);
    let text = &field[..end.unwrap_or(field.len()).min(LONGEST_NAME)];
    String::from_utf8_lossy(text).into_owned()
}
