//! A cursor over a part of the file.

use traceloom_trace::Place;

use crate::bytes::{ByteOrder, Cursor};
use crate::error::{ReadError, printable};
use crate::format_id;

/// The unread bytes of a part. Every function takes its value from the front. `inside` names the part in the error if
/// too few bytes are left.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    bytes: Cursor<'a>,
    /// The position of the part's end in the file, or in its decompressed section.
    end: u64,
}

impl<'a> Input<'a> {
    /// A part that begins at byte `offset` of the file.
    pub fn new(bytes: &'a [u8], offset: u64, order: ByteOrder) -> Self {
        Self {
            bytes: Cursor::new(bytes, order),
            end: offset + bytes.len() as u64,
        }
    }

    /// Goes on in this byte order.
    pub fn set_order(&mut self, order: ByteOrder) {
        self.bytes = self.bytes.with_order(order);
    }

    pub fn order(&self) -> ByteOrder {
        self.bytes.order()
    }

    /// The current position in the file.
    pub fn offset(&self) -> u64 {
        self.end - self.rest().len() as u64
    }

    /// The current position, for messages.
    pub fn place(&self) -> Place {
        Place::at_offset(self.offset())
    }

    /// The remaining bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.rest()
    }

    /// Takes the next `length` bytes.
    pub fn take(&mut self, length: u64, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let taken = self.bytes.take(length);
        self.whole(taken, inside)
    }

    pub fn u16(&mut self, inside: &'static str) -> Result<u16, ReadError> {
        let number = self.bytes.u16();
        self.whole(number, inside)
    }

    pub fn u32(&mut self, inside: &'static str) -> Result<u32, ReadError> {
        let number = self.bytes.u32();
        self.whole(number, inside)
    }

    pub fn u64(&mut self, inside: &'static str) -> Result<u64, ReadError> {
        let number = self.bytes.u64();
        self.whole(number, inside)
    }

    /// The value, or the error that the part ends before it.
    fn whole<T>(&self, value: Option<T>, inside: &'static str) -> Result<T, ReadError> {
        value.ok_or(ReadError::Truncated {
            format: format_id::TRACE_DAT,
            inside,
            offset: self.end,
        })
    }

    /// Takes text up to its NUL.
    pub fn text(&mut self, inside: &'static str) -> Result<&'a [u8], ReadError> {
        let text = self.bytes.text();
        self.whole(text, inside)
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
