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
    torn: usize,
    first_error: Option<ReadError>,
}

impl Tally {
    pub fn new(format: &'static str) -> Self {
        Self {
            format,
            read: 0,
            skipped: Vec::new(),
            broken: Vec::new(),
            torn: 0,
            first_error: None,
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
        match result {
            Ok(whole) => {
                self.read += 1;
                self.torn += usize::from(!whole);
            }
            Err(
                error @ (ReadError::TooBig { .. }
                | ReadError::Bomb { .. }
                | ReadError::TooDeep { .. }
                | ReadError::NoMethodEvents { .. }
                | ReadError::NoText { .. }
                | ReadError::Manifest { .. }),
            ) => return Err(error),
            Err(
                ReadError::Empty
                | ReadError::UnknownFormat { .. }
                | ReadError::NothingInside { .. },
            ) => self.skipped.push(name.to_owned()),
            Err(error) => {
                self.broken.push(format!("{name}: {error}"));
                self.first_error.get_or_insert(error);
            }
        }
        Ok(())
    }

    /// Reports skipped and broken entries.
    ///
    /// # Errors
    /// If no entry could be read.
    pub fn finish(self, archive_torn: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.read == 0 {
            return Err(self.first_error.unwrap_or(ReadError::NothingInside {
                format: self.format,
                entries: self.skipped.len(),
            }));
        }
        let mut count = |kind, rows: &[String]| {
            let first = || rows.first().cloned().unwrap_or_default();
            out.repair(kind, rows.len() as u64, Place::default(), first);
        };
        count(RepairKind::SkippedEntry, &self.skipped);
        count(RepairKind::BrokenBlock, &self.broken);
        let torn = self.torn.max(usize::from(archive_torn)) as u64;
        let format = self.format;
        out.repair(RepairKind::TornRecord, torn, Place::default(), || {
            format!("the {format} archive breaks off")
        });
        Ok(())
    }
}
