//! tar: every member that is a trace becomes a source.

mod attributes;
mod header;
mod members;
#[cfg(test)]
mod tests;

use traceloom_trace::{Place, RepairKind};

use crate::archive::{Entry, Members, Sift, Tally, pair};
use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::unwrap::Inner;
use crate::whole::whole_reader;
use members::File;

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

    /// The first header has a magic number (since 1988) and a checksum.
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

/// Reads an archive. Its members are merged once all of them are known.
fn read(bytes: &[u8], options: &ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
    let contents = members::contents(bytes);
    let mut tally = Tally::of(format_id::TAR, bytes.len() as u64);
    read_files(&contents.files, options, &mut tally, out)?;
    for link in &contents.links {
        tally.add(link, Err(ReadError::Empty))?;
    }
    for unread in &contents.unread {
        tally.add(&unread.name, Err(unread.reason()))?;
    }
    tally.finish(contents.is_torn, out)?;
    let end = Place::at_offset((bytes.len() - contents.trailing) as u64);
    let trailing = contents.trailing as u64;
    out.repair_container(RepairKind::TrailingBytes, trailing, end, || {
        "after the end of the tar archive".to_owned()
    });
    Ok(())
}

fn read_files(
    files: &[File<'_>],
    options: &ReadOptions,
    tally: &mut Tally,
    out: &mut Target<'_>,
) -> Result<(), ReadError> {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let entries = pair(&names);
    let sift = sift(&entries, files)?;
    let order = sift.order();
    let found = sift.found()?;
    let manifest_at = found.as_ref().map(|found| found.at);
    let mut members = Members::of(entries.len(), found, out)?;
    for at in order {
        let entry = &entries[at];
        if manifest_at == Some(at) {
            continue;
        }
        if matches!(out, Target::Methods(_)) && !tally.is_empty() {
            // A consumer of method events accepts only one trace.
            return Err(ReadError::NoMethodEvents {
                format: format_id::TAR,
            });
        }
        let read = |options: &ReadOptions, out: &mut Target<'_>| member(options, entry, files, out);
        let result = members.read(&entry.name, options, out, read);
        tally.add(&entry.name, result)?;
    }
    members.finish(format_id::TAR, out)
}

/// Looks at the entries.
fn sift(entries: &[Entry], files: &[File<'_>]) -> Result<Sift, ReadError> {
    let mut sift = Sift::default();
    for (at, entry) in entries.iter().enumerate() {
        let bytes = files[entry.index].bytes;
        let head = |most: u64| bytes.iter().copied().take(most as usize).collect();
        sift.look(at, &entry.name, head)?;
    }
    Ok(sift)
}

/// Reads an entry; returns whether it was complete.
fn member(
    options: &ReadOptions,
    entry: &Entry,
    files: &[File<'_>],
    out: &mut Target<'_>,
) -> Result<bool, ReadError> {
    let mut options = options.clone();
    options.name = match options.name.as_str() {
        "" => entry.name.clone(),
        outer => format!("{outer}/{}", entry.name),
    };
    let mut inner = Inner::new(format_id::TAR, &options);
    let mut is_whole = true;
    for at in [Some(entry.index), entry.then].into_iter().flatten() {
        for piece in files[at].bytes.chunks(1 << 20) {
            inner.feed(piece, out)?;
        }
        is_whole = files[at].is_whole;
        if !is_whole {
            break;
        }
    }
    inner.finish(out)?;
    Ok(is_whole)
}
