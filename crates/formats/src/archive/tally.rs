//! Counts the results of reading an archive's entries.

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::format::Target;

/// The number of entries by result.
pub(crate) struct Tally {
    /// The archive's format.
    format: &'static str,
    read: usize,
    skipped: Vec<String>,
    broken: Vec<String>,
    torn: Vec<String>,
    first_error: Option<ReadError>,
    /// The size of the archive, if it is known.
    bytes: Option<u64>,
}

/// The maximum number of entries that a repair names.
const MOST_NAMED: usize = 8;

impl Tally {
    pub fn new(format: &'static str) -> Self {
        Self {
            format,
            read: 0,
            skipped: Vec::new(),
            broken: Vec::new(),
            torn: Vec::new(),
            first_error: None,
            bytes: None,
        }
    }

    /// Creates a tally for an archive of this size.
    pub fn of(format: &'static str, bytes: u64) -> Self {
        Self {
            bytes: Some(bytes),
            ..Self::new(format)
        }
    }

    /// Whether no entry has been read yet.
    pub fn is_empty(&self) -> bool {
        self.read == 0
    }

    /// Counts the result of the entry `name`. `Ok(false)` means that it was truncated.
    ///
    /// # Errors
    /// Passes on errors that concern the whole archive.
    pub fn add(&mut self, name: &str, result: Result<bool, ReadError>) -> Result<(), ReadError> {
        let Err(error) = result else {
            self.read += 1;
            if matches!(result, Ok(false)) {
                self.torn.push(format!("{name}: breaks off"));
            }
            return Ok(());
        };
        match error.innermost() {
            ReadError::TooBig { .. } | ReadError::Bomb { .. } => return Err(error.inside(name)),
            ReadError::NoMethodEvents { .. }
            | ReadError::NoText { .. }
            | ReadError::Manifest { .. } => return Err(error),
            ReadError::Empty
            | ReadError::UnknownFormat { .. }
            | ReadError::NothingInside { .. } => self.skipped.push(name.to_owned()),
            innermost => {
                let is_whole = matches!(innermost, ReadError::Foreign { .. });
                let error = error.inside(name);
                let rows = if is_whole {
                    &mut self.skipped
                } else {
                    &mut self.broken
                };
                rows.push(error.to_string());
                self.first_error.get_or_insert(error);
            }
        }
        Ok(())
    }

    /// Counts damage in the entry `name`, whose readable part is kept.
    pub fn damaged(&mut self, name: &str, reason: &str) {
        self.broken.push(format!("{name}: {reason}"));
    }

    /// Reports skipped and broken entries. They belong to no source, because the source that was read last is another
    /// entry.
    ///
    /// # Errors
    /// If no entry could be read.
    pub fn finish(mut self, archive_torn: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.read == 0 {
            return Err(self.nothing(archive_torn));
        }
        if archive_torn && self.torn.is_empty() {
            self.torn
                .push(format!("the {} archive breaks off", self.format));
        }
        let mut count = |kind, rows: &[String]| {
            let names = || named(rows);
            out.repair_container(kind, rows.len() as u64, Place::default(), names);
        };
        count(RepairKind::SkippedEntry, &self.skipped);
        count(RepairKind::BrokenBlock, &self.broken);
        count(RepairKind::TornRecord, &self.torn);
        Ok(())
    }

    /// The error of an archive without a readable entry.
    fn nothing(self, archive_torn: bool) -> ReadError {
        let none = ReadError::NothingInside {
            format: self.format,
            entries: self.skipped.len(),
        };
        let torn = |offset| ReadError::Truncated {
            format: self.format,
            inside: "the archive",
            offset,
        };
        let torn = self.bytes.filter(|_| archive_torn).map(torn);
        self.first_error.or(torn).unwrap_or(none)
    }
}

/// Joins the first rows into one text.
fn named(rows: &[String]) -> String {
    let first = rows[..rows.len().min(MOST_NAMED)].join("; ");
    match rows.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}
