//! Splits a file into its records.

use crate::bytes::Cursor;
use crate::perfetto::Fields;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"SIMPLEPERF";

/// The supported version.
pub(super) const VERSION: u16 = 1;

/// The fields of `Record`. Each record has one of them.
pub(super) mod kind {
    pub const SAMPLE: u32 = 1;
    pub const LOST: u32 = 2;
    pub const FILE: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const META_INFO: u32 = 5;
    pub const CONTEXT_SWITCH: u32 = 6;
}

/// Iterates over the records of a file: the kind and the message of each. Ends at the end of the list, or at an
/// incomplete record.
#[derive(Clone)]
pub(super) struct Records<'a> {
    rest: Cursor<'a>,
    /// Whether the end mark of the list was read.
    is_whole: bool,
}

impl<'a> Records<'a> {
    /// The records of a file, and its version.
    pub fn new(file: &'a [u8]) -> (Self, u16) {
        let mut rest = Cursor::little_endian(file.strip_prefix(MAGIC).unwrap_or(file));
        let version = rest.u16().unwrap_or(VERSION);
        let is_whole = false;
        (Self { rest, is_whole }, version)
    }

    /// Whether the list ends with simpleperf's end mark.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The number of unread bytes.
    pub fn rest(&self) -> usize {
        self.rest.rest().len()
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (u32, Fields<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_whole {
            return None;
        }
        let mut rest = self.rest;
        let size = rest.u32()?;
        if size == 0 {
            (self.is_whole, self.rest) = (true, rest);
            return None;
        }
        let record = rest.take(size.into())?;
        self.rest = rest;
        let field = Fields::new(record).next();
        Some(field.map_or((0, Fields::new(b"")), |field| {
            (field.number, field.fields())
        }))
    }
}
