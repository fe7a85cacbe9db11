//! zip: every entry that is a trace becomes a source.

mod content;
mod entries;
mod headers;
mod parts;
#[cfg(test)]
mod tests;

use crate::archive::{Members, Sift, Tally};
use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::whole::whole_reader;
use content::Fault;
use entries::Archive;

/// zip: opens its entries.
pub(crate) struct Zip;

impl Format for Zip {
    fn id(&self) -> &'static str {
        format_id::ZIP
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
        let options = options.clone();
        Some(whole_reader(move |bytes, out| read(bytes, &options, out)))
    }
}

/// Reads an archive. The list of its entries is at its end.
fn read(bytes: &[u8], options: &ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
    let archive = Archive::open(bytes)?;
    let mut tally = Tally::of(format_id::ZIP, bytes.len() as u64);
    let entries = archive.entries();
    let mut sift = Sift::default();
    for (at, entry) in entries.iter().enumerate() {
        sift.look(at, &entry.name, |most| archive.head(entry, most))?;
    }
    let order = sift.order();
    let found = sift.found()?;
    let manifest_at = found.as_ref().map(|found| found.at);
    let mut members = Members::of(entries.len(), found, out)?;
    for at in order {
        let entry = &entries[at];
        if manifest_at == Some(at) {
            continue;
        }
        let is_first = tally.is_empty();
        let read = |options: &ReadOptions, out: &mut Target<'_>| {
            archive.read(entry, options, is_first, out)
        };
        let result = members.read(&entry.name, options, out, read);
        count(&entry.name, result, &mut tally)?;
    }
    members.finish(format_id::ZIP, out)?;
    tally.finish(archive.parts().is_torn, out)?;
    archive.parts().report(out);
    Ok(())
}

/// Counts the result of the entry `name`.
fn count(
    name: &str,
    result: Result<Option<Fault>, ReadError>,
    tally: &mut Tally,
) -> Result<(), ReadError> {
    let is_cut = matches!(result, Ok(Some(Fault::Cut)));
    if let Ok(Some(Fault::Broken(reason))) = &result {
        tally.damaged(name, reason);
    }
    tally.add(name, result.map(|_| !is_cut))
}
