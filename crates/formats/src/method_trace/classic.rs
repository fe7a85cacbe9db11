//! The records of classic method traces: versions 1 to 3.
//!
//! ```text
//! v1  u8 thread   u32 method|action  u32 µs
//! v2  u16 thread  u32 method|action  u32 µs
//! v3  u16 thread  u32 method|action  u32 µs  [u32 wall µs]
//! ```
//!
//! The action is in the two low bits of the method id. Bytes beyond these fields, up to the record
//! size of the header, are skipped.

use std::slice::ChunksExact;

use crate::bytes::{le_u16, le_u32};

/// One record of a classic method trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodRecord {
    /// The thread's number in the file.
    pub thread: u16,
    /// The method's id in the file; its two low bits are clear.
    pub method: u32,
    /// 0 entry, 1 exit, 2 exit by an exception, 3 undefined.
    pub action: u8,
    /// The first clock, µs.
    pub time_us: u32,
    /// The second clock, µs, if the record has one.
    pub second_time_us: Option<u32>,
}

impl MethodRecord {
    /// Decodes the fields at the start of `bytes`, whose thread number has `THREAD` bytes; `None` if bytes are missing.
    #[inline(always)]
    pub(super) fn decode<const THREAD: usize, const TWO_CLOCKS: bool>(
        bytes: &[u8],
    ) -> Option<Self> {
        // The last field is read first, so that this is the only check of the length that is left.
        let second_time_us = if TWO_CLOCKS {
            Some(le_u32(bytes, THREAD + 8)?)
        } else {
            None
        };
        let time_us = le_u32(bytes, THREAD + 4)?;
        let word = le_u32(bytes, THREAD)?;
        let thread = match THREAD {
            1 => u16::from(*bytes.first()?),
            _ => le_u16(bytes, 0)?,
        };
        Some(Self {
            thread,
            method: word & !3,
            action: (word & 3) as u8,
            time_us,
            second_time_us,
        })
    }

    /// Decodes a record that has a second clock if it is long enough for it.
    #[inline(always)]
    fn decode_any<const THREAD: usize>(bytes: &[u8]) -> Option<Self> {
        Self::decode::<THREAD, true>(bytes).or_else(|| Self::decode::<THREAD, false>(bytes))
    }
}

/// The records of a classic method trace, decoded one by one without a copy.
///
/// ```
/// use traceloom_formats::MethodRecords;
///
/// let bytes = [1, 0, 9, 0, 0, 0, 5, 0, 0, 0, 0xff];
/// let mut records = MethodRecords::new(&bytes, 2, 10);
/// assert_eq!(records.rest(), [0xff]);
/// let record = records.next().unwrap();
/// assert_eq!((record.thread, record.method, record.action, record.time_us), (1, 8, 1, 5));
/// assert!(records.next().is_none());
/// ```
#[derive(Clone, Debug)]
pub struct MethodRecords<'a> {
    records: ChunksExact<'a, u8>,
    record_bytes: usize,
    thread_bytes: usize,
}

impl<'a> MethodRecords<'a> {
    /// Iterates over the records in `bytes`, which must begin with a record. `version` is the
    /// header's; `record_bytes` is raised to the size of that version's fields if it is smaller.
    pub fn new(bytes: &'a [u8], version: u16, record_bytes: usize) -> Self {
        let thread_bytes = if version == 1 { 1 } else { 2 };
        let record_bytes = record_bytes.max(thread_bytes + 8);
        Self {
            records: bytes.chunks_exact(record_bytes),
            record_bytes,
            thread_bytes,
        }
    }

    /// Bytes of a record's thread number: 1 in version 1, else 2.
    pub fn thread_bytes(&self) -> usize {
        self.thread_bytes
    }

    /// Bytes of a record, at least those of its fields.
    pub fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    /// The bytes after the last whole record: those of an incomplete one.
    pub fn rest(&self) -> &'a [u8] {
        self.records.remainder()
    }

    /// The same records by the width of their thread numbers. A loop over one of them is faster,
    /// because it need not look up that width for each record.
    pub fn by_width(self) -> ByWidth<'a> {
        match self.thread_bytes {
            1 => ByWidth::One(WidthRecords(self.records)),
            _ => ByWidth::Two(WidthRecords(self.records)),
        }
    }
}

impl Iterator for MethodRecords<'_> {
    type Item = MethodRecord;

    // A record that is returned through memory costs more than decoding it.
    #[inline(always)]
    fn next(&mut self) -> Option<MethodRecord> {
        let bytes = self.records.next()?;
        match self.thread_bytes {
            1 => MethodRecord::decode_any::<1>(bytes),
            _ => MethodRecord::decode_any::<2>(bytes),
        }
    }
}

/// [`MethodRecords`] by the width of their thread numbers.
#[derive(Clone, Debug)]
pub enum ByWidth<'a> {
    /// One byte.
    One(WidthRecords<'a, 1>),
    /// Two bytes.
    Two(WidthRecords<'a, 2>),
}

/// [`MethodRecords`] whose thread numbers have `THREAD` bytes.
#[derive(Clone, Debug)]
pub struct WidthRecords<'a, const THREAD: usize>(ChunksExact<'a, u8>);

impl<const THREAD: usize> Iterator for WidthRecords<'_, THREAD> {
    type Item = MethodRecord;

    #[inline(always)]
    fn next(&mut self) -> Option<MethodRecord> {
        self.0.next().and_then(MethodRecord::decode_any::<THREAD>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_the_same_by_width() {
        let bytes: Vec<u8> = (0..240).collect();
        for (version, record_bytes) in [(1, 0), (1, 13), (2, 0), (2, 17), (3, 10), (3, 14)] {
            let records = MethodRecords::new(&bytes, version, record_bytes);
            let all: Vec<_> = records.clone().collect();
            let by_width: Vec<_> = match records.by_width() {
                ByWidth::One(records) => records.collect(),
                ByWidth::Two(records) => records.collect(),
            };
            assert_eq!(by_width, all, "version {version}, {record_bytes} bytes");
        }
    }
}
