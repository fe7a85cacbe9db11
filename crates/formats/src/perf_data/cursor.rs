//! Reads numbers and texts one after the other.

use crate::bytes::ByteOrder;

/// The unread bytes. Every function takes its value from the front, and returns `None` if too few bytes are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { rest: bytes, order }
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

    pub fn skip(&mut self, bytes: u64) -> Option<()> {
        self.take(bytes).map(|_| ())
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
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    &bytes[..end]
}
