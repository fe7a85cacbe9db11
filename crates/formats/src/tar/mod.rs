//! tar: every member that is a trace becomes a source.

mod members;
#[cfg(test)]
mod tests;

use crate::archive::{Members, Sift, Tally};
use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::unwrap::Inner;
use crate::whole::whole_reader;
use members::Entries;

/// tar: opens its members.
pub(crate) struct Tar;

impl Format for Tar {
    fn id(&self) -> &'static str {
        format_id::TAR
    }

    fn title(&self) -> &'static str {
        "tar archive"
    }

    fn is_container(&self) -> bool {
        true
    }

    /// The first header has a mark since 1988, and a checksum.
    fn sniff(&self, head: &[u8]) -> Confidence {
        if members::begins(head) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let options = options.clone();
        Some(whole_reader(move |bytes, out| read(bytes, &options, out)))
    }
}

/// Reads an archive. Its members are put together when all are known.
fn read(bytes: &[u8], options: &ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
    let mut entries = Entries::new(bytes);
    let files: Vec<_> = entries.by_ref().collect();
    let mut tally = Tally::new(format_id::TAR);
    let mut sift = Sift::default();
    for (at, file) in files.iter().enumerate() {
        let head = |most: u64| file.bytes.iter().copied().take(most as usize).collect();
        sift.look(at, &file.name, head)?;
    }
    let found = sift.found()?;
    let manifest_at = found.as_ref().map(|found| found.at);
    let mut members = Members::of(files.len(), found, out)?;
    for (at, file) in files.iter().enumerate() {
        if manifest_at == Some(at) {
            continue;
        }
        if matches!(out, Target::Methods(_)) && !tally.is_empty() {
            // A consumer of method events accepts only one trace.
            return Err(ReadError::NoMethodEvents {
                format: format_id::TAR,
            });
        }
        let read = |options: &ReadOptions, out: &mut Target<'_>| {
            member(options, &file.name, file.bytes, out)
        };
        let result = members.read(&file.name, options, out, read);
        tally.add(&file.name, result.map(|()| file.is_whole))?;
    }
    members.finish(format_id::TAR, out)?;
    tally.finish(entries.is_torn(), out)
}

fn member(
    options: &ReadOptions,
    name: &str,
    bytes: &[u8],
    out: &mut Target<'_>,
) -> Result<(), ReadError> {
    let mut options = options.clone();
    options.name = match options.name.as_str() {
        "" => name.to_owned(),
        outer => format!("{outer}/{name}"),
    };
    let mut inner = Inner::new(format_id::TAR, &options);
    for piece in bytes.chunks(1 << 20) {
        inner.feed(piece, out)?;
    }
    inner.finish(out)
}
