//! The content of an entry.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::headers::Record;
use crate::error::ReadError;
use crate::format_id;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;

const NO_HEADER: &str = "its header is not where the directory says";

/// Why the content of an entry ends early.
pub(super) enum Fault {
    /// The archive ends.
    Cut,
    /// The data is damaged.
    Broken(String),
}

/// Decompresses the content of an entry piece by piece.
pub(super) struct Content<'a> {
    rest: &'a [u8],
    /// For deflated data.
    stream: Option<Decompress>,
    has_ended: bool,
    is_cut: bool,
    checksum: Option<u32>,
    crc: Crc,
}

impl<'a> Content<'a> {
    /// The content of an entry.
    ///
    /// # Errors
    /// If it cannot be unpacked.
    pub fn of(record: &Record<'a>) -> Result<Self, ReadError> {
        if record.flags & ENCRYPTED != 0 {
            return Err(ReadError::Encrypted);
        }
        let stream = match record.method {
            STORED => None,
            DEFLATED => Some(Decompress::new(false)),
            other => return Err(ReadError::Method { name: name(other) }),
        };
        Ok(Self {
            rest: record.data.ok_or_else(|| broken(NO_HEADER.to_owned()))?,
            stream,
            has_ended: false,
            is_cut: record.is_cut,
            checksum: record.checksum,
            crc: Crc::new(),
        })
    }

    /// Puts the next bytes into `piece`; returns their number, 0 at the end.
    ///
    /// # Errors
    /// If the content ends early. Earlier output is valid, unless its checksum is wrong.
    pub fn read(&mut self, piece: &mut [u8]) -> Result<usize, Fault> {
        let length = match &mut self.stream {
            _ if self.has_ended => 0,
            Some(_) => self.inflate(piece)?,
            None => self.copy(piece)?,
        };
        self.crc.update(&piece[..length]);
        match self.checksum {
            Some(sum) if length == 0 && sum != self.crc.sum() => {
                Err(Fault::Broken("the checksum is wrong".to_owned()))
            }
            _ => Ok(length),
        }
    }

    fn copy(&mut self, piece: &mut [u8]) -> Result<usize, Fault> {
        let (head, rest) = self.rest.split_at(piece.len().min(self.rest.len()));
        if head.is_empty() && self.is_cut {
            return Err(Fault::Cut);
        }
        piece[..head.len()].copy_from_slice(head);
        self.rest = rest;
        Ok(head.len())
    }

    fn inflate(&mut self, piece: &mut [u8]) -> Result<usize, Fault> {
        let Some(stream) = &mut self.stream else {
            return Ok(0);
        };
        loop {
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(self.rest, piece, FlushDecompress::None);
            let used = (stream.total_in() - before.0) as usize;
            let given = (stream.total_out() - before.1) as usize;
            self.rest = &self.rest[used..];
            self.has_ended = matches!(status, Ok(Status::StreamEnd));
            match status {
                _ if given > 0 || self.has_ended => return Ok(given),
                Err(error) => return Err(Fault::Broken(error.to_string())),
                Ok(_) if self.rest.is_empty() && self.is_cut => return Err(Fault::Cut),
                Ok(_) if self.rest.is_empty() || used == 0 => {
                    return Err(Fault::Broken("the compressed data ends early".to_owned()));
                }
                Ok(_) => {}
            }
        }
    }
}

/// The error for an entry that gave no content.
pub(super) fn broken(reason: String) -> ReadError {
    ReadError::Compression {
        format: format_id::ZIP,
        offset: 0,
        reason,
    }
}

/// The name of a compression method.
fn name(method: u16) -> String {
    let known = match method {
        9 => "Deflate64",
        12 => "bzip2",
        14 => "LZMA",
        93 => "Zstandard",
        95 => "XZ",
        98 => "PPMd",
        other => return format!("the compression method {other}"),
    };
    known.to_owned()
}
