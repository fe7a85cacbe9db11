//! The archives in a file: usually one, or several that were concatenated, or the beginning of one.

use std::io::Cursor;
use std::ops::Range;

use traceloom_trace::{Place, RepairKind};
use zip::ZipArchive;

use super::content::broken;
use super::headers::{self, Directory, LOCAL, LOCAL_BYTES, Record};
use crate::error::ReadError;
use crate::format::Target;
use crate::format_id;

/// The archives in a file.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// The entries of all archives, in order.
    pub records: Vec<Record<'a>>,
    /// Whether an archive has no directory.
    pub is_torn: bool,
    /// The number of bytes at the start that belong to no listed entry.
    before: usize,
    /// Bytes after an archive that are not another archive, and the position of the last such bytes.
    trailing: (usize, usize),
}

impl<'a> Parts<'a> {
    /// Finds the archives in a file.
    ///
    /// # Errors
    /// If not even one entry is found.
    pub fn find(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut parts = Self::default();
        let (mut found, mut first) = (Vec::new(), None);
        let mut rest = bytes;
        // The directory is at the end of an archive, so the last archive comes first.
        let error = loop {
            match directory(rest) {
                Ok(archive) => {
                    let place = archive.start..archive.end;
                    found.push(parts.archive(rest, archive));
                    rest = &rest[..place.start];
                    first = Some(place);
                }
                Err(reason) => break reason,
            }
        };
        parts.before = rest.len();
        parts.records = found.into_iter().rev().flatten().collect();
        match (first, rest) {
            (None, _) => Self::torn(bytes).map_or_else(|| Err(nothing(bytes, error)), Ok),
            (Some(_), []) => Ok(parts),
            (Some(first), _) => Ok(Self::around(bytes, &first).unwrap_or(parts)),
        }
    }

    /// The truncated archive, if the archive at this place is only an entry of it.
    fn around(bytes: &'a [u8], place: &Range<usize>) -> Option<Self> {
        let is_entry = |record: &Record<'_>| record.contains(place);
        Self::torn(bytes).filter(|torn| torn.records.iter().any(is_entry))
    }

    /// An archive without a directory, if it has at least one entry.
    fn torn(bytes: &'a [u8]) -> Option<Self> {
        let records = headers::one_by_one(bytes, 0);
        (!records.is_empty()).then(|| Self {
            records,
            is_torn: true,
            ..Self::default()
        })
    }

    /// The entries of the last archive in `bytes`. Entries that follow it are included; other bytes after it are counted.
    fn archive(&mut self, bytes: &'a [u8], archive: Directory<'a>) -> Vec<Record<'a>> {
        let mut records = archive.records;
        let rest = &bytes[archive.end..];
        if rest.starts_with(LOCAL) {
            records.extend(headers::one_by_one(bytes, archive.end));
            self.is_torn = true;
        } else if !rest.is_empty() {
            self.trailing = (self.trailing.0 + rest.len(), archive.end);
        }
        records
    }

    /// Reports the parts of the file that are not read.
    pub fn report(&self, out: &mut Target<'_>) {
        let before = u64::from(self.before > 0);
        let start = Place::at_offset(0);
        out.repair_container(RepairKind::BrokenBlock, before, start, || {
            format!(
                "{} bytes in front of the zip archive's entries are not in its directory; not read",
                self.before
            )
        });
        let (bytes, at) = self.trailing;
        let place = Place::at_offset(at as u64);
        out.repair_container(RepairKind::TrailingBytes, bytes as u64, place, || {
            "after the zip archive".to_owned()
        });
    }
}

/// The directory of the last archive in a file.
fn directory(bytes: &[u8]) -> Result<Directory<'_>, String> {
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let [offset, at] = [archive.offset(), archive.central_directory_start()];
    Ok(headers::directory(bytes, offset as usize, at as usize))
}

/// The error of a file without an entry.
fn nothing(bytes: &[u8], reason: String) -> ReadError {
    if bytes.len() < LOCAL_BYTES || !bytes.starts_with(LOCAL) {
        return broken(reason);
    }
    ReadError::Truncated {
        format: format_id::ZIP,
        inside: "the header of an entry",
        offset: bytes.len() as u64,
    }
}
