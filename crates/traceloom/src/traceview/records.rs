//! The binary part as Traceview reads it: versions 1 to 3, signed thread ids and signed 32-bit
//! microseconds. A trace longer than 35 minutes has negative times, as in Traceview.

use super::key::{Clock, Key, Refusal};

/// `SLOW`, little endian.
const MAGIC: i32 = 0x574f_4c53;

/// A record of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawRecord {
    pub(crate) thread: i32,
    /// The method id, with the action in the low two bits.
    pub(crate) method_and_action: i32,
    /// Thread CPU time, µs; 0 if not recorded.
    pub(crate) cpu_us: i64,
    /// Wall time, µs; 0 if not recorded.
    pub(crate) wall_us: i64,
}

/// The records of a trace, in file order.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    data: &'a [u8],
    clock: Clock,
    thread_bytes: usize,
    record_bytes: usize,
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

impl<'a> Records<'a> {
    /// Reads the binary header after the key section.
    pub(crate) fn open(bytes: &'a [u8], key: &Key) -> Result<Self, Refusal> {
        let mut rest = bytes.get(key.data_offset..).unwrap_or_default();
        let magic = header_field(&mut rest).map(i32::from_le_bytes)?;
        if magic != MAGIC {
            return Err(Refusal(format!(
                "magic number mismatch; got 0x{magic:x}, expected 0x{MAGIC:x}"
            )));
        }
        let version = header_field(&mut rest).map(i16::from_le_bytes)?;
        if i32::from(version) != key.version {
            return Err(Refusal(format!(
                "version number mismatch; got {version} in data header but {} in options",
                key.version
            )));
        }
        if !(1..=3).contains(&version) {
            return Err(Refusal(format!(
                "unsupported trace version number {version}"
            )));
        }
        let data_offset = i32::from(header_field(&mut rest).map(i16::from_le_bytes)?);
        let _start_us: [u8; 8] = header_field(&mut rest)?;
        let (record_bytes, header_bytes) = match version {
            1 => (9, 16),
            2 => (10, 16),
            _ => (header_field(&mut rest).map(i16::from_le_bytes)?, 18),
        };
        let skip = usize::try_from(data_offset - header_bytes).unwrap_or(0);
        Ok(Self::sized(
            rest.get(skip..).ok_or_else(no_header)?,
            key.clock,
            version,
            record_bytes,
        ))
    }

    /// A record is at least as long as the fields of its clocks, whatever the header says.
    fn sized(data: &'a [u8], clock: Clock, version: i16, record_bytes: i16) -> Self {
        let thread_bytes = if version == 1 { 1 } else { 2 };
        let time_bytes = if clock == Clock::Dual { 8 } else { 4 };
        let needed = thread_bytes + 4 + time_bytes;
        Self {
            data,
            clock,
            thread_bytes,
            record_bytes: needed.max(usize::try_from(record_bytes).unwrap_or(0)),
        }
    }

    /// The number of complete records left.
    pub(crate) fn len(&self) -> usize {
        self.data.len() / self.record_bytes
    }

    /// The number of bytes after the last complete record.
    pub(crate) fn torn_bytes(&self) -> usize {
        self.data.len() % self.record_bytes
    }
}

impl Iterator for Records<'_> {
    type Item = RawRecord;

    fn next(&mut self) -> Option<RawRecord> {
        let mut record = self.data.get(..self.record_bytes)?;
        self.data = &self.data[self.record_bytes..];
        let thread = match self.thread_bytes {
            1 => i32::from(i8::from_le_bytes(take(&mut record)?)),
            _ => i32::from(i16::from_le_bytes(take(&mut record)?)),
        };
        let method_and_action = i32::from_le_bytes(take(&mut record)?);
        let first = i64::from(i32::from_le_bytes(take(&mut record)?));
        let (cpu_us, wall_us) = match self.clock {
            Clock::ThreadCpu => (first, 0),
            Clock::Wall => (0, first),
            Clock::Dual => (first, i64::from(i32::from_le_bytes(take(&mut record)?))),
        };
        Some(RawRecord {
            thread,
            method_and_action,
            cpu_us,
            wall_us,
        })
    }
}

fn header_field<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Refusal> {
    take(rest).ok_or_else(no_header)
}

fn no_header() -> Refusal {
    Refusal("the file ends inside the binary header".into())
}
