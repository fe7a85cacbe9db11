//! Reads numbers in the byte order of the traced machine.

/// The byte order of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByteOrder {
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
}

impl ByteOrder {
    /// The two bytes at `at`, if present.
    #[inline]
    pub fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let raw = u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        Some(if self.big_endian {
            raw.swap_bytes()
        } else {
            raw
        })
    }

    /// The four bytes at `at`, if present.
    #[inline]
    pub fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let raw = u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        Some(if self.big_endian {
            raw.swap_bytes()
        } else {
            raw
        })
    }

    /// The eight bytes at `at`, if present.
    #[inline]
    pub fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let raw = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        Some(if self.big_endian {
            raw.swap_bytes()
        } else {
            raw
        })
    }

    /// The unsigned number of 1, 2, 4 or 8 bytes at `at`.
    #[inline]
    pub fn uint(self, bytes: &[u8], at: usize, size: usize) -> Option<u64> {
        match size {
            1 => bytes.get(at).map(|&byte| byte.into()),
            2 => self.u16(bytes, at).map(u64::from),
            4 => self.u32(bytes, at).map(u64::from),
            8 => self.u64(bytes, at),
            _ => None,
        }
    }

    /// Like [`uint`](Self::uint), for a signed number of that size.
    #[inline]
    pub fn int(self, bytes: &[u8], at: usize, size: usize) -> Option<i64> {
        let raw = self.uint(bytes, at, size)?;
        Some(match size {
            1 => i64::from(raw as i8),
            2 => i64::from(raw as i16),
            4 => i64::from(raw as i32),
            _ => raw as i64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_and_signs() {
        let (little, big) = (ByteOrder::default(), ByteOrder { big_endian: true });
        let bytes = [0xFF, 0xFE, 0, 0, 0, 0, 0, 1];
        assert_eq!(little.u16(&bytes, 0), Some(0xFEFF));
        assert_eq!(big.u16(&bytes, 0), Some(0xFFFE));
        assert_eq!(big.int(&bytes, 0, 2), Some(-2));
        assert_eq!(big.u32(&bytes, 4), Some(1));
        assert_eq!(little.u64(&bytes, 1), None);
        assert_eq!(little.uint(&bytes, 0, 3), None);
    }
}
