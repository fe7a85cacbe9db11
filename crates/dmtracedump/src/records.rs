//! The binary header, and the records after it.
//!
//! ```text
//! header  u32 magic · u16 version · u16 offset to data · u64 start   (16 bytes)
//!         u16 record size                                            (version 3 only)
//! ```
//! The original never looks at the magic, treats the offset and the record size as signed, and
//! reads bytes past the end as all ones.

use traceloom_formats::MethodRecords;
use traceloom_host::Content;

/// Bytes of the header before the record size.
const HEADER_LEN: i64 = 16;

/// The most bytes of records in one piece.
const PIECE: usize = 48 << 10;

/// The records of a trace, in pieces.
pub(super) struct Records<'a> {
    trace: &'a Content,
    /// The offset of the next piece.
    at: usize,
    version: u16,
    record_bytes: usize,
    /// Holds the piece if the file is not in memory.
    buffer: Vec<u8>,
}

impl<'a> Records<'a> {
    /// Reads the header at `start`, directly after the key section, and finds the records.
    ///
    /// # Errors
    /// A line for standard error. It is empty if the data starts before the file, because the
    /// original prints nothing then.
    pub fn open(trace: &'a Content, start: usize) -> Result<Self, String> {
        let version = word(trace, start + 4) as i16;
        let offset = i64::from(word(trace, start + 6) as i16);
        let (header_len, record_bytes) = match version {
            1 => (HEADER_LEN, 9),
            2 => (HEADER_LEN, 10),
            3 => (HEADER_LEN + 2, word(trace, start + 16) as i16),
            other => return Err(format!("Unsupported trace file version: {other}\n")),
        };
        let header_end = (start as i64 + header_len).min(trace.len() as i64);
        let first = header_end + offset - header_len;
        let at = usize::try_from(first).map_err(|_| String::new())?;
        let (version, least) = (version as u16, usize::try_from(record_bytes).unwrap_or(0));
        let record_bytes = MethodRecords::new(&[], version, least).record_bytes();
        Ok(Records {
            trace,
            at,
            version,
            record_bytes,
            buffer: Vec::new(),
        })
    }

    /// The next records. Only the last piece can end inside a record.
    pub fn next_piece(&mut self) -> Option<MethodRecords<'_>> {
        let length = PIECE / self.record_bytes * self.record_bytes;
        let piece = self.trace.piece(self.at, length, &mut self.buffer);
        self.at += piece.len();
        let records = MethodRecords::new(piece, self.version, self.record_bytes);
        (!piece.is_empty()).then_some(records)
    }
}

/// The original's warning if the file ends inside a record; `last` is the last piece. If thread
/// numbers have two bytes, a single 0xff at the end is read as the end of the file.
pub(super) fn torn_note(last: &MethodRecords<'_>) -> &'static str {
    match last.rest() {
        [] => "",
        [0xff] if last.thread_bytes() == 2 => "",
        _ => "WARNING: hit EOF mid-record\n",
    }
}

/// A little-endian u16, computed as in the original: a byte past the end reads as -1, which sets this byte's bits and
/// all higher ones.
fn word(data: &[u8], at: usize) -> u16 {
    match (data.get(at), data.get(at + 1)) {
        (Some(&low), Some(&high)) => u16::from_le_bytes([low, high]),
        (Some(&low), None) => 0xff00 | u16::from(low),
        _ => 0xffff,
    }
}
