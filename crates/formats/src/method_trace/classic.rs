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
    /// Decodes the fields at the start of `bytes`, whose thread number has `THREAD` bytes. The
    /// caller has checked the length.
    #[inline(always)]
    pub(super) fn decode<const THREAD: usize, const TWO_CLOCKS: bool>(bytes: &[u8]) -> Self {
        let thread = match THREAD {
            1 => u16::from(bytes[0]),
            _ => u16::from_le_bytes([bytes[0], bytes[1]]),
        };
        let word = u32_at(bytes, THREAD);
        MethodRecord {
            thread,
            method: word & !3,
            action: (word & 3) as u8,
            time_us: u32_at(bytes, THREAD + 4),
            second_time_us: TWO_CLOCKS.then(|| u32_at(bytes, THREAD + 8)),
        }
    }
}

/// The records of a classic method trace, decoded one by one without a copy.
///
/// ```
/// use traceloom_formats::MethodRecords;
///
/// let bytes = [1, 0, 9, 0, 0, 0, 5, 0, 0, 0, 0xff];
/// let mut records = MethodRecords::new(&bytes, 2, 10);
/// let record = records.next().unwrap();
/// assert_eq!((record.thread, record.method, record.action, record.time_us), (1, 8, 1, 5));
/// assert!(records.next().is_none());
/// assert_eq!(records.rest(), [0xff]);
/// ```
#[derive(Clone, Debug)]
pub struct MethodRecords<'a> {
    rest: &'a [u8],
    record_bytes: usize,
    thread_bytes: usize,
}

impl<'a> MethodRecords<'a> {
    /// Iterates over the records in `bytes`, which must begin with a record. `version` is the
    /// header's; `record_bytes` is raised to the size of that version's fields if it is smaller.
    pub fn new(bytes: &'a [u8], version: u16, record_bytes: usize) -> Self {
        let thread_bytes = if version == 1 { 1 } else { 2 };
        Self {
            rest: bytes,
            record_bytes: record_bytes.max(thread_bytes + 8),
            thread_bytes,
        }
    }

    /// Bytes of a record's thread number: 1 in version 1, else 2.
    pub fn thread_bytes(&self) -> usize {
        self.thread_bytes
    }

    /// The bytes not read yet. After the last record, these are the bytes of an incomplete record.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl Iterator for MethodRecords<'_> {
    type Item = MethodRecord;

    // A record that is returned through memory costs more than decoding it.
    #[inline(always)]
    fn next(&mut self) -> Option<MethodRecord> {
        let (bytes, rest) = self.rest.split_at_checked(self.record_bytes)?;
        self.rest = rest;
        Some(match (self.thread_bytes, bytes.len()) {
            (1, 13..) => MethodRecord::decode::<1, true>(bytes),
            (1, _) => MethodRecord::decode::<1, false>(bytes.first_chunk::<9>()?),
            (_, 14..) => MethodRecord::decode::<2, true>(bytes),
            _ => MethodRecord::decode::<2, false>(bytes.first_chunk::<10>()?),
        })
    }
}

#[inline(always)]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = &bytes[at..at + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
