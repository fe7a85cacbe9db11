//! The header of ART's second encodings, and how they are distinguished. [`super::v2`] shows the
//! layout.

use crate::bytes::{le_u16, le_u64};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 32;

/// The header of a second encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub version: u16,
    /// The start: µs for encoding A1, otherwise ns.
    pub start: u64,
    /// Ticks per second in encoding B; 0 means nanoseconds.
    pub frequency: u64,
    pub is_b: bool,
}

impl Header {
    /// Reads the header at the beginning of `bytes`; `None` if they are too few.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..HEADER_BYTES)?;
        Some(Self {
            version: le_u16(bytes, 4)?,
            start: le_u64(bytes, 6)?,
            frequency: le_u64(bytes, 22)?,
            is_b: bytes.get(14..30)?.iter().any(|byte| *byte != 0),
        })
    }

    /// Whether a record has two times.
    pub fn is_dual(&self) -> bool {
        self.version & 0xF == 5
    }

    /// The likely unit of times in encoding A, derived from the start: no device is up for 30 days,
    /// and none records within its first 43 minutes.
    pub fn likely_unit_ns(start: u64) -> i64 {
        if start < 30 * 86_400 * 1_000_000 {
            1000
        } else {
            1
        }
    }
}

/// How records are encoded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Encoding {
    /// A1 if the unit is 1000 ns, otherwise A2.
    A { unit_ns: i64 },
    /// B, with its ticks per second.
    B { frequency: u64 },
}
