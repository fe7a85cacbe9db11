//! A cursor over a part of the file.

use traceloom_trace::Place;

use crate::bytes::ByteOrder;
use crate::error::{ReadError, printable};
use crate::format_id;

/// The bytes of a part, and the read position.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The position of `bytes` in the file, or in its decompressed section.
    offset: u64,
    pub order: ByteOrder,
}

impl<'a> Input<'a> {
    /// A part that begins at byte `offset` of the file.
    pub fn new(bytes: &'a [u8], offset: u64, order: ByteOrder) -> Self {
        Self {
            bytes,
            at: 0,
            offset,
            order,
        }
    }

    /// The current position in the file.
    pub fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// The current position, for messages.
    pub fn place(&self) -> Place {
        Place::at_offset(self.offset())
    }

    /// The remaining bytes.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Takes the next `length` bytes.
    pub fn take(&mut self, length: u64, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let rest = self.rest();
        let Some(bytes) = usize::try_from(length)
            .ok()
            .and_then(|length| rest.get(..length))
        else {
            return Err(ReadError::Truncated {
                format: format_id::TRACE_DAT,
                inside,
                offset: self.offset + self.bytes.len() as u64,
            });
        };
        self.at += bytes.len();
        Ok(bytes)
    }

    pub fn u16(&mut self, inside: &'static str) -> Result<u16, ReadError> {
        let bytes = self.take(2, inside)?;
        Ok(self.order.u16(bytes, 0).unwrap_or(0))
    }

    pub fn u32(&mut self, inside: &'static str) -> Result<u32, ReadError> {
        let bytes = self.take(4, inside)?;
        Ok(self.order.u32(bytes, 0).unwrap_or(0))
    }

    pub fn u64(&mut self, inside: &'static str) -> Result<u64, ReadError> {
        let bytes = self.take(8, inside)?;
        Ok(self.order.u64(bytes, 0).unwrap_or(0))
    }

    /// Takes text up to its NUL.
    pub fn text(&mut self, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let rest = self.rest();
        let length = memchr::memchr(0, rest).unwrap_or(rest.len()) as u64;
        let text = self.take(length, inside)?;
        self.take(1, inside)?;
        Ok(text)
    }

    /// Takes bytes that are preceded by their length in 8 bytes.
    pub fn sized(&mut self, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let length = self.u64(inside)?;
        self.take(length, inside)
    }

    /// Like [`sized`](Self::sized), with a length in 4 bytes.
    pub fn short_sized(&mut self, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let length = self.u32(inside)?;
        self.take(length.into(), inside)
    }

    /// Takes `expected`; otherwise returns an error about `field`.
    pub fn expect(&mut self, expected: &'static str, field: &'static str) -> Result<(), ReadError> {
        let place = self.place();
        let found = self.take(expected.len() as u64, field)?;
        if found == expected.as_bytes() {
            return Ok(());
        }
        Err(wrong(field, printable(found), expected, place))
    }
}

/// The error for a field with a value that the format does not allow.
pub(super) fn wrong(
    field: &'static str,
    found: String,
    expected: &'static str,
    place: Place,
) -> ReadError {
    ReadError::Field {
        format: format_id::TRACE_DAT,
        field,
        found,
        expected,
        place,
    }
}
