//! The binary part: its header and its records.
//!
//! ```text
//! header  u32 magic · u16 version · u16 offset to data · u64 start   (16 bytes)
//!         u16 record size                                            (version 3 only)
//! record  u8|u16 thread · u32 method id and action · u32 µs · more up to the record size
//! ```
//! The original never looks at the magic, treats the offset and the record size as signed, and
//! reads bytes past the end as all ones.

use std::fmt;

/// Bytes of the header before the record size.
const HEADER_LEN: i64 = 16;

/// What a record says happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The thread's number in the file.
    pub thread: u16,
    /// The method's id: the two low bits are clear.
    pub method: u32,
    /// 0 entry, 1 exit, 2 unroll (an exit by exception), 3 never seen (counts as an exit).
    pub action: u8,
    /// The record's first clock, µs.
    pub time: u32,
}

impl Record {
    /// `fields` are the method with the action in its low bits, and the first clock.
    #[inline]
    fn new(thread: u16, fields: [u8; 8]) -> Self {
        let fields = u64::from_le_bytes(fields);
        let method = fields as u32;
        Record {
            thread,
            method: method & !3,
            action: (method & 3) as u8,
            time: (fields >> 32) as u32,
        }
    }
}

/// Why there are no records to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    /// A version other than 1, 2 and 3.
    Version(i16),
    /// The offset to the data points before the start of the file; the original says nothing.
    Offset,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderError::Version(version) => {
                write!(f, "Unsupported trace file version: {version}")
            }
            HeaderError::Offset => f.write_str("the data starts before the file does"),
        }
    }
}

impl std::error::Error for HeaderError {}

/// Where records come from, one after another.
pub(super) trait Feed {
    /// The next record, which stays.
    fn peek(&self) -> Option<Record>;

    /// The next record has been taken.
    fn advance(&mut self);
}

/// Records of `N` bytes, whose threads have two.
#[derive(Clone)]
pub(super) struct Shaped<'a, const N: usize>(std::slice::Iter<'a, [u8; N]>);

impl<const N: usize> Feed for Shaped<'_, N> {
    #[inline]
    fn peek(&self) -> Option<Record> {
        let record = self.0.as_slice().first()?;
        let thread = u16::from_le_bytes([record[0], record[1]]);
        Some(Record::new(thread, *record[2..].first_chunk()?))
    }

    #[inline]
    fn advance(&mut self) {
        self.0.next();
    }
}

/// The records of a trace, in file order.
#[derive(Clone)]
pub(super) struct Records<'a> {
    rest: &'a [u8],
    stride: usize,
    thread_len: usize,
}

impl<'a> Records<'a> {
    /// Reads the header at `start`, just behind the key section.
    pub fn new(data: &'a [u8], start: usize) -> Result<Self, HeaderError> {
        let version = word(data, start + 4) as i16;
        let offset = i64::from(word(data, start + 6) as i16);
        let mut read = HEADER_LEN;
        let size = match version {
            1 => 9,
            2 => 10,
            3 => {
                read += 2;
                i64::from(word(data, start + 16) as i16)
            }
            other => return Err(HeaderError::Version(other)),
        };
        let thread_len = if version == 1 { 1 } else { 2 };
        let here = (start as i64 + read).min(data.len() as i64);
        let first = here + offset - read;
        let first = usize::try_from(first).map_err(|_| HeaderError::Offset)?;
        Ok(Records {
            rest: data.get(first..).unwrap_or_default(),
            stride: usize::try_from(size).unwrap_or(0).max(thread_len + 8),
            thread_len,
        })
    }

    #[inline]
    fn split(&self) -> Option<(Record, &'a [u8])> {
        let (record, rest) = self.rest.split_at_checked(self.stride)?;
        let (thread, fields) = match self.thread_len {
            1 => (u16::from(record[0]), record[1..].first_chunk()),
            _ => (
                u16::from_le_bytes([record[0], record[1]]),
                record[2..].first_chunk(),
            ),
        };
        // A stride is never shorter than these fields.
        Some((Record::new(thread, *fields?), rest))
    }

    /// All of them, if their threads have two bytes and they have `N`: who knows it asks less of each record.
    pub fn shaped<const N: usize>(&self) -> Option<Shaped<'a, N>> {
        let (records, _) = self.rest.as_chunks();
        (self.thread_len == 2 && self.stride == N).then(|| Shaped(records.iter()))
    }

    /// Whether the file ends inside a record. A lone last 0xff reads as the end of the file where thread numbers
    /// are two bytes, so the original says nothing about it.
    pub fn is_torn(&self) -> bool {
        let (_, rest) = self
            .rest
            .split_at(self.rest.len() - self.rest.len() % self.stride);
        let looks_like_end = self.thread_len == 2 && rest == [0xff];
        !rest.is_empty() && !looks_like_end
    }
}

impl Feed for Records<'_> {
    fn peek(&self) -> Option<Record> {
        Some(self.split()?.0)
    }

    fn advance(&mut self) {
        self.rest = self.rest.get(self.stride..).unwrap_or_default();
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    #[inline]
    fn next(&mut self) -> Option<Record> {
        let (record, rest) = self.split()?;
        self.rest = rest;
        Some(record)
    }
}

/// A little-endian u16 built as the original does: a byte past the end is minus one, which fills
/// the bits from there up.
fn word(data: &[u8], at: usize) -> u16 {
    match (data.get(at), data.get(at + 1)) {
        (Some(&low), Some(&high)) => u16::from_le_bytes([low, high]),
        (Some(&low), None) => 0xff00 | u16::from(low),
        _ => 0xffff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u16, offset: u16, tail: &[u8]) -> Vec<u8> {
        let mut bytes = b"SLOW".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(tail);
        bytes
    }

    #[test]
    fn a_torn_record_is_noticed_and_a_lone_ff_is_not() {
        let one = [1, 0, 5, 0, 0, 0, 7, 0, 0, 0];
        for (tail, torn) in [
            (&[][..], false),
            (&[1], true),
            (&[0xff], false),
            (&[0xff, 1], true),
        ] {
            let bytes = file(2, 16, &[&one, tail].concat());
            let mut records = Records::new(&bytes, 0).unwrap();
            let record = records.next().unwrap();
            assert_eq!((record.method, record.action, record.time), (4, 1, 7));
            assert!(records.next().is_none());
            assert_eq!(records.is_torn(), torn, "{tail:?}");
        }
    }

    #[test]
    fn versions_and_offsets_out_of_range_are_errors() {
        assert_eq!(
            Records::new(&file(4, 32, &[]), 0).err(),
            Some(HeaderError::Version(4))
        );
        assert_eq!(Records::new(&[], 0).err(), Some(HeaderError::Version(-1)));
        assert_eq!(
            Records::new(&file(2, 0xffff, &[]), 0).err(),
            Some(HeaderError::Offset)
        );
        assert!(
            Records::new(&file(2, 0x7fff, &[]), 0)
                .unwrap()
                .next()
                .is_none()
        );
    }
}
