//! Reads numbers and texts from bytes. All functions return `None` past the end, so that readers need no checks of
//! their own.

/// The little-endian `u16` at `at`.
#[inline]
pub(crate) fn le_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The little-endian `u32` at `at`.
#[inline]
pub(crate) fn le_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The little-endian `u64` at `at`.
#[inline]
pub(crate) fn le_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A little-endian number of up to eight bytes.
pub(crate) fn le_uint(bytes: &[u8]) -> u64 {
    let most_significant_first = bytes.iter().rev();
    most_significant_first.fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The byte order of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ByteOrder {
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
}

impl ByteOrder {
    /// The two bytes at `at`, if present.
    #[inline]
    pub fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let raw = le_u16(bytes, at)?;
        Some(if self.big_endian {
            raw.swap_bytes()
        } else {
            raw
        })
    }

    /// The four bytes at `at`, if present.
    #[inline]
    pub fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let raw = le_u32(bytes, at)?;
        Some(if self.big_endian {
            raw.swap_bytes()
        } else {
            raw
        })
    }

    /// The eight bytes at `at`, if present.
    #[inline]
    pub fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let raw = le_u64(bytes, at)?;
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

/// The unread bytes. Every function takes its value from the front, and returns `None` if too few bytes are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { rest: bytes, order }
    }

    /// Bytes with numbers whose least significant byte comes first.
    pub fn little_endian(bytes: &'a [u8]) -> Self {
        Self::new(bytes, ByteOrder::default())
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn take(&mut self, bytes: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(bytes).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    /// Goes on in this byte order.
    pub fn with_order(self, order: ByteOrder) -> Self {
        Self { order, ..self }
    }

    pub fn order(&self) -> ByteOrder {
        self.order
    }

    pub fn skip(&mut self, bytes: u64) -> Option<()> {
        self.take(bytes).map(|_| ())
    }

    pub fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    pub fn u16(&mut self) -> Option<u16> {
        let order = self.order;
        self.take(2).and_then(|bytes| order.u16(bytes, 0))
    }

    pub fn u32(&mut self) -> Option<u32> {
        let order = self.order;
        self.take(4).and_then(|bytes| order.u32(bytes, 0))
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.u32().map(|number| number as i32)
    }

    pub fn u64(&mut self) -> Option<u64> {
        let order = self.order;
        self.take(8).and_then(|bytes| order.u64(bytes, 0))
    }

    /// A number if `is_there`; otherwise nothing is read.
    pub fn u64_if(&mut self, is_there: bool) -> Option<Option<u64>> {
        if is_there {
            self.u64().map(Some)
        } else {
            Some(None)
        }
    }

    /// A text that ends with NUL.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let length = memchr::memchr(0, self.rest)?;
        let text = self.take(length as u64)?;
        self.skip(1)?;
        Some(text)
    }

    /// A text that follows its length, a number of 4 bytes. The length includes the padding.
    pub fn sized_text(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length.into()).map(until_nul)
    }

    /// Numbers of 8 bytes, up to the end.
    pub fn numbers(self) -> impl ExactSizeIterator<Item = u64> + 'a {
        let order = self.order;
        let words = self.rest.chunks_exact(8);
        // Each chunk has the eight bytes of a number.
        words.map(move |word| order.u64(word, 0).unwrap_or_default())
    }
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    &bytes[..end]
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

    #[test]
    fn numbers_outside_of_the_bytes_are_none() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(le_u16(&bytes, 6), Some(0x0807));
        assert_eq!(le_u32(&bytes, 4), Some(0x0807_0605));
        assert_eq!(le_u64(&bytes, 0), Some(0x0807_0605_0403_0201));
        assert_eq!(le_uint(&bytes[..3]), 0x0003_0201);
        for at in [7, 8, 9, usize::MAX] {
            assert_eq!(le_u16(&bytes, at), None);
            assert_eq!(le_u32(&bytes, at), None);
            assert_eq!(le_u64(&bytes, at), None);
        }
    }
}
