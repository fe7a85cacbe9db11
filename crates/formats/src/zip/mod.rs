//! zip: each entry that is a trace becomes a source of its own.

mod entries;
#[cfg(test)]
mod tests;

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use entries::{Archive, Entry};

const ID: &str = "zip";

/// zip: passes its entries on.
pub(crate) struct Zip;

impl Format for Zip {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "zip archive"
    }

    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(ZipReader {
            options: options.clone(),
            bytes: Vec::new(),
        }))
    }
}

/// The list of entries stands at an archive's end, so all of it is kept until then.
struct ZipReader {
    options: ReadOptions,
    bytes: Vec<u8>,
}

impl Reader for ZipReader {
    fn feed(&mut self, chunk: &[u8], _: &mut Target<'_>) -> Result<(), ReadError> {
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut archive = Archive::open(&bytes)?;
        let mut tally = Tally::default();
        for entry in archive.entries() {
            let result = archive.read(&entry, &self.options, &tally, out);
            tally.add(&entry, result)?;
        }
        tally.finish(archive.is_torn(), out)
    }
}

/// What became of the entries.
#[derive(Default)]
struct Tally {
    read: usize,
    skipped: Vec<String>,
    broken: Vec<String>,
    torn: usize,
    first_error: Option<ReadError>,
}

impl Tally {
    fn add(&mut self, entry: &Entry, result: Result<bool, ReadError>) -> Result<(), ReadError> {
        match result {
            Ok(whole) => {
                self.read += 1;
                self.torn += usize::from(!whole);
            }
            Err(
                error @ (ReadError::TooBig { .. }
                | ReadError::Bomb { .. }
                | ReadError::TooDeep { .. }
                | ReadError::NoMethodEvents { .. }),
            ) => return Err(error),
            Err(
                ReadError::Empty
                | ReadError::UnknownFormat { .. }
                | ReadError::NothingInside { .. },
            ) => self.skipped.push(entry.name.clone()),
            Err(error) => {
                self.broken.push(format!("{}: {error}", entry.name));
                self.first_error.get_or_insert(error);
            }
        }
        Ok(())
    }

    fn finish(self, archive_torn: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.read == 0 {
            return Err(self.first_error.unwrap_or(ReadError::NothingInside {
                format: ID,
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
        out.repair(RepairKind::TornRecord, torn, Place::default(), || {
            "the zip archive breaks off".to_owned()
        });
        Ok(())
    }
}
