//! The binary header, and the start of the records.
//!
//! ```text
//! header  u32 magic · u16 version · u16 offset to data · u64 start   (16 bytes)
//!         u16 record size                                            (version 3 only)
//! ```
//! The original never looks at the magic, treats the offset and the record size as signed, and
//! reads bytes past the end as all ones.

use traceloom_formats::MethodRecords;

/// Bytes of the header before the record size.
const HEADER_LEN: i64 = 16;

/// Reads the header at `start`, directly after the key section, and finds the records.
///
/// # Errors
/// A line for standard error. It is empty if the data starts before the file, because the original
/// prints nothing then.
pub(super) fn open(data: &[u8], start: usize) -> Result<MethodRecords<'_>, String> {
    let version = word(data, start + 4) as i16;
    let offset = i64::from(word(data, start + 6) as i16);
    let (header_len, record_bytes) = match version {
        1 => (HEADER_LEN, 9),
        2 => (HEADER_LEN, 10),
        3 => (HEADER_LEN + 2, word(data, start + 16) as i16),
        other => return Err(format!("Unsupported trace file version: {other}\n")),
    };
    let header_end = (start as i64 + header_len).min(data.len() as i64);
    let first = header_end + offset - header_len;
    let first = usize::try_from(first).map_err(|_| String::new())?;
    let bytes = data.get(first..).unwrap_or_default();
    let record_bytes = usize::try_from(record_bytes).unwrap_or(0);
    Ok(MethodRecords::new(bytes, version as u16, record_bytes))
}

/// The original's warning if the file ends inside a record; `records` have been read to their end.
/// If thread numbers have two bytes, a single 0xff at the end is read as the end of the file.
pub(super) fn torn_note(records: &MethodRecords<'_>) -> &'static str {
    match records.rest() {
        [] => "",
        [0xff] if records.thread_bytes() == 2 => "",
        _ => "WARNING: hit EOF mid-record\n",
    }
}

/// A little-endian u16 built as the original does: a byte past the end is minus one, which sets all
/// bits from there upwards.
fn word(data: &[u8], at: usize) -> u16 {
    match (data.get(at), data.get(at + 1)) {
        (Some(&low), Some(&high)) => u16::from_le_bytes([low, high]),
        (Some(&low), None) => 0xff00 | u16::from(low),
        _ => 0xffff,
    }
}
