//! Numbers of variable length (LEB128), as in ART's second encodings: seven bits per byte; the
//! highest bit means that more bytes follow.

/// Reads numbers from the front of a byte slice.
pub(super) struct Leb<'a> {
    bytes: &'a [u8],
    /// Bytes read so far.
    pub used: usize,
}

impl<'a> Leb<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, used: 0 }
    }

    /// The bits and their count; `None` if the bytes end first. Bits beyond 64 are dropped.
    fn bits(&mut self) -> Option<(u64, u32)> {
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.bytes.get(self.used)?;
            self.used += 1;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            shift = (shift + 7).min(70);
            if byte & 0x80 == 0 {
                return Some((value, shift));
            }
        }
    }

    /// An unsigned number.
    pub fn unsigned(&mut self) -> Option<u64> {
        self.bits().map(|(value, _)| value)
    }

    /// A signed number, whose highest bit is the sign.
    pub fn signed(&mut self) -> Option<i64> {
        let (value, bits) = self.bits()?;
        let unused = 64u32.saturating_sub(bits);
        Some((value << unused) as i64 >> unused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_dwarf_standard() {
        let unsigned = |bytes: &[u8]| Leb::new(bytes).unsigned();
        let signed = |bytes: &[u8]| Leb::new(bytes).signed();
        assert_eq!(unsigned(&[2]), Some(2));
        assert_eq!(unsigned(&[0x80 + 57, 100]), Some(12857));
        assert_eq!(signed(&[2]), Some(2));
        assert_eq!(signed(&[0x7e]), Some(-2));
        assert_eq!(signed(&[0x80, 0x7f]), Some(-128));
        assert_eq!(signed(&[0x80 + 1, 1]), Some(129));
        assert_eq!(unsigned(&[0x80]), None);
        assert_eq!(
            unsigned(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            Some(u64::MAX)
        );
        assert_eq!(
            signed(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f]),
            Some(i64::MIN)
        );
    }
}
