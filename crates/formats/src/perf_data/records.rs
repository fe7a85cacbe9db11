//! Splits the data of a file into its records.
//!
//! ```text
//! u32 kind  u16 misc  u16 size  payload
//! ```
//! `size` includes these 8 bytes. Records of simpleperf can be longer: the 4 bytes of `misc` and `size` then hold the
//! upper and the lower half of the size. Some records are followed by data of a hardware trace, which their size does
//! not include.

use crate::bytes::{ByteOrder, Cursor};

/// The kinds of records.
pub(super) mod kind {
    pub const MMAP: u32 = 1;
    pub const LOST: u32 = 2;
    pub const COMM: u32 = 3;
    pub const EXIT: u32 = 4;
    pub const FORK: u32 = 7;
    pub const SAMPLE: u32 = 9;
    pub const MMAP2: u32 = 10;
    pub const AUX: u32 = 11;
    pub const LOST_SAMPLES: u32 = 13;
    pub const KSYMBOL: u32 = 17;
    pub const CALLCHAIN_DEFERRED: u32 = 22;
    pub const HEADER_ATTR: u32 = 64;
    pub const TRACING_DATA: u32 = 66;
    pub const BUILD_ID: u32 = 67;
    pub const FINISHED_ROUND: u32 = 68;
    pub const AUXTRACE: u32 = 71;
    pub const THREAD_MAP: u32 = 73;
    pub const STAT_CONFIG: u32 = 75;
    pub const STAT: u32 = 76;
    pub const STAT_ROUND: u32 = 77;
    pub const EVENT_UPDATE: u32 = 78;
    pub const HEADER_FEATURE: u32 = 80;
    pub const COMPRESSED: u32 = 81;
    pub const FINISHED_INIT: u32 = 82;
    pub const COMPRESSED2: u32 = 83;
    /// Kinds from here on are simpleperf's.
    pub const FIRST_OF_SIMPLEPERF: u32 = 32768;
    pub const KERNEL_SYMBOLS: u32 = 32769;
    pub const EVENT_ID: u32 = 32774;
    pub const CALLCHAIN: u32 = 32775;
    pub const UNWINDING_RESULT: u32 = 32776;
    pub const TRACING_DATA_OF_SIMPLEPERF: u32 = 32777;
}

/// The name of a record kind in the kernel and perf.
pub(super) fn name(kind: u32) -> &'static str {
    match kind {
        5 => "THROTTLE",
        6 => "UNTHROTTLE",
        8 => "READ",
        11 => "AUX",
        12 => "ITRACE_START",
        14 => "SWITCH",
        15 => "SWITCH_CPU_WIDE",
        16 => "NAMESPACES",
        18 => "BPF_EVENT",
        19 => "CGROUP",
        20 => "TEXT_POKE",
        21 => "AUX_OUTPUT_HW_ID",
        65 => "HEADER_EVENT_TYPE",
        66 | kind::TRACING_DATA_OF_SIMPLEPERF => "TRACING_DATA",
        69 => "ID_INDEX",
        70 => "AUXTRACE_INFO",
        71 => "AUXTRACE",
        72 => "AUXTRACE_ERROR",
        73 => "THREAD_MAP",
        74 => "CPU_MAP",
        75 => "STAT_CONFIG",
        76 => "STAT",
        77 => "STAT_ROUND",
        79 => "TIME_CONV",
        32772 => "SPLIT",
        32773 => "SPLIT_END",
        kind::CALLCHAIN => "CALLCHAIN",
        kind::UNWINDING_RESULT => "UNWINDING_RESULT",
        _ => "unknown",
    }
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub payload: &'a [u8],
    /// Its offset in the data, bytes. For records in the queue, the offset in the file.
    pub at: usize,
}

impl<'a> Record<'a> {
    pub fn cursor(&self, order: ByteOrder) -> Cursor<'a> {
        Cursor::new(self.payload, order)
    }

    /// The formats of tracepoints, which are inside the record or after it. `data` contains the record.
    pub fn tracing_data(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        const HEADER: usize = 8;
        const MAGIC: &[u8] = b"\x17\x08\x44tracing";
        let bytes = data.get(self.at + HEADER..)?;
        let at = memchr::memmem::find(bytes.get(..32.min(bytes.len()))?, MAGIC)?;
        bytes.get(at..)
    }
}

/// Iterates over the records of the data. Ends at the first invalid or incomplete record.
#[derive(Clone, Debug)]
pub(super) struct Records<'a> {
    data: &'a [u8],
    order: ByteOrder,
    at: usize,
}

impl<'a> Records<'a> {
    pub fn new(data: &'a [u8], order: ByteOrder) -> Self {
        Self { data, order, at: 0 }
    }

    /// The offset of the next record, bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The number of unread bytes.
    pub fn left(&self) -> usize {
        self.data.len() - self.at
    }

    fn read(&self) -> Option<(Record<'a>, usize)> {
        const HEADER: u64 = 8;
        let mut cursor = Cursor::new(&self.data[self.at..], self.order);
        let kind = cursor.u32()?;
        let (mut misc, low) = (cursor.u16()?, cursor.u16()?);
        let mut size = u64::from(low);
        if kind >= kind::FIRST_OF_SIMPLEPERF {
            size |= u64::from(misc) << 16;
            misc = 0;
        }
        let payload = cursor.take(size.checked_sub(HEADER)?)?;
        cursor.skip(data_after(kind, Cursor::new(payload, self.order))?)?;
        let record = Record {
            kind,
            misc,
            payload,
            at: self.at,
        };
        Some((record, self.data.len() - cursor.rest().len()))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (record, end) = self.read()?;
        self.at = end;
        Some(record)
    }
}

/// The number of bytes that belong to a record but come after it, because its size does not include them.
fn data_after(kind: u32, mut payload: Cursor<'_>) -> Option<u64> {
    match kind {
        kind::AUXTRACE => payload.u64(),
        // perf puts the data after the record, simpleperf into it.
        kind::TRACING_DATA if payload.rest().len() <= 8 => {
            let size = payload.u32()?;
            Some(u64::from(size).next_multiple_of(8))
        }
        _ => Some(0),
    }
}
