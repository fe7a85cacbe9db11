//! The binary header before the records.
//!
//! ```text
//!  0 u32 'SLOW'
//!  4 u16 version            1 to 3; | 0xF0 streaming; 4 and 5 are ART's second encodings
//!  6 u16 offset to data     from the header's first byte; files with 16 and 32 exist
//!  8 u64 start, µs          Dalvik: since 1970; ART: CLOCK_MONOTONIC
//! 16 u16 record size        version 3 only
//! ```

use traceloom_trace::{MethodClocks, Place};

use super::key::Keys;
use crate::bytes::{le_u16, le_u64};
use crate::error::{ReadError, printable};
use crate::format_id;

/// The magic number.
pub(super) const MAGIC: &[u8; 4] = b"SLOW";
/// Set in the version of a streaming trace.
pub(super) const STREAMING: u16 = 0xF0;
/// Bytes of binary data that are searched for signs of re-encoding.
pub(super) const REENCODED_WINDOW: usize = 1024;

/// A header of versions 1 to 3, streaming or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Including the streaming bits.
    pub version: u16,
    /// Bytes from the header's beginning to the first record.
    pub data_offset: usize,
    /// Microseconds.
    pub start_us: u64,
    /// Bytes of one record.
    pub record_bytes: usize,
}

/// The version, if `bytes` begin with a header.
pub(super) fn peek_version(bytes: &[u8]) -> Option<u16> {
    le_u16(bytes.strip_prefix(MAGIC)?, 0)
}

/// Whether a VM writes this version.
pub(super) fn is_known(version: u16) -> bool {
    matches!(version, 1..=5 | 0xF1..=0xF5)
}

impl Header {
    /// Reads the fixed part. `at` is its position in the source.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, ReadError> {
        let cut = || truncated("the binary header", at as usize + bytes.len());
        let (version, data_offset, start_us, stated_record) = fixed(bytes).ok_or_else(cut)?;
        let plain = version & !STREAMING;
        let (least_offset, least_record) = match plain {
            1 => (16, 9),
            2 => (16, 10),
            _ => (18, 10),
        };
        let data_offset = usize::from(data_offset);
        if data_offset < least_offset {
            return Err(field(
                "data offset",
                data_offset,
                "16 or more (version 3: 18)",
                at + 6,
            ));
        }
        let record_bytes = match plain {
            3 => usize::from(stated_record),
            _ => least_record,
        };
        if record_bytes < least_record {
            return Err(field("record size", record_bytes, "10 or more", at + 16));
        }
        Ok(Self {
            version,
            data_offset,
            start_us,
            record_bytes,
        })
    }

    /// The version without the streaming bits: 1 to 3.
    pub fn plain_version(&self) -> u16 {
        self.version & !STREAMING
    }

    /// Whether names come between the records.
    pub fn is_streaming(&self) -> bool {
        self.version & STREAMING != 0
    }

    /// Bytes of a record's thread number.
    pub fn tid_bytes(&self) -> usize {
        if self.plain_version() == 1 { 1 } else { 2 }
    }

    /// Whether a record has room for two times.
    pub fn has_room_for_two(&self) -> bool {
        self.record_bytes >= self.tid_bytes() + 12
    }
}

/// The version, the offset to the data, the start and the record size. All versions must be long enough for it, but
/// only version 3 means it.
fn fixed(bytes: &[u8]) -> Option<(u16, u16, u64, u16)> {
    let start_us = le_u64(bytes, 8)?;
    Some((
        le_u16(bytes, 4)?,
        le_u16(bytes, 6)?,
        start_us,
        le_u16(bytes, 16)?,
    ))
}

fn field(field: &'static str, found: usize, expected: &'static str, offset: u64) -> ReadError {
    ReadError::Field {
        format: format_id::METHOD_TRACE,
        field,
        found: found.to_string(),
        expected,
        place: Place::at_offset(offset),
    }
}

/// The error for an input that ends too early to be used.
pub(super) fn truncated(inside: &'static str, offset: usize) -> ReadError {
    ReadError::Truncated {
        format: format_id::METHOD_TRACE,
        inside,
        offset: offset as u64,
    }
}

/// The error for bytes that should have been a header.
pub(super) fn no_header(bytes: &[u8], at: u64) -> ReadError {
    let (field, expected, shown, at) = if bytes.starts_with(MAGIC) {
        (
            "version",
            "1 to 5, or 0xF1 to 0xF5 (streaming)",
            &bytes[4..],
            at + 4,
        )
    } else {
        ("binary header", "\"SLOW\"", bytes, at)
    };
    ReadError::Field {
        format: format_id::METHOD_TRACE,
        field,
        found: printable(shown),
        expected,
        place: Place::at_offset(at),
    }
}

/// The position of the first U+FFFD that a text conversion put in place of bytes it could not
/// decode. It is reported only if the data is valid UTF-8 and contains such a character; true
/// binary records soon contain bytes that are not valid UTF-8.
pub(super) fn reencoded(binary: &[u8]) -> Option<usize> {
    let window = &binary[..binary.len().min(REENCODED_WINDOW)];
    let valid = match std::str::from_utf8(window) {
        Ok(_) => window,
        // A character that is cut by the end of the window is valid.
        Err(error) if error.error_len().is_none() => &window[..error.valid_up_to()],
        Err(_) => return None,
    };
    memchr::memmem::find(valid, "\u{fffd}".as_bytes())
}

/// The clocks in the key section, and whether it names any.
///
/// `global` is an old name for wall time, from Dalvik. Without the key, Traceview assumed `thread-cpu`. The key is not
/// needed if records have two times. `one_time` means that a record has no room for a second time.
pub(super) fn clocks(keys: &Keys, version: u16, one_time: bool) -> (MethodClocks, bool) {
    let (wall, cpu, named) = match keys.get("clock") {
        Some("dual") => (true, true, true),
        Some("wall" | "global") => (true, false, true),
        Some("thread-cpu") => (false, true, true),
        _ => (matches!(version & !STREAMING, 3 | 5), true, false),
    };
    let wall = wall && !(cpu && one_time);
    (MethodClocks { wall, cpu }, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_header_is_truncated() {
        let whole = b"SLOW\x03\x00\x20\x00\x01\0\0\0\0\0\0\0\x0e\x00";
        assert_eq!(Header::parse(whole, 0).unwrap().record_bytes, 14);
        for length in 0..whole.len() {
            let error = Header::parse(&whole[..length], 100).unwrap_err();
            let ReadError::Truncated { offset, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(offset, 100 + length as u64);
        }
    }

    #[test]
    fn replaced_bytes_are_told_from_binary_ones() {
        let replaced = b"SLOW\x03\x00\x20\x00\xef\xbf\xbd\xef\xbf\xbd\x01\x00";
        assert_eq!(reencoded(replaced), Some(8));
        let binary = b"SLOW\x03\x00\x20\x00\xef\xbf\xbd\x80\xff\x00\x01\x00";
        assert_eq!(reencoded(binary), None);
        assert_eq!(reencoded(b"SLOW\x03\x00\x20\x00\x01\x02"), None);
    }
}
