//! Gives a file, a pipe or standard input to a reader.

use std::fs::File;
use std::io::{IsTerminal, Read, StdinLock};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use traceloom_formats::{AnyReader, PART_BYTES, ReadError, Reader, Target, wants_whole};
use traceloom_host::{FeedError, Map, Scratch, feed};

use crate::folder;
use crate::progress::Progress;

/// Smaller files are read instead of mapped, because that is faster, and because they may still
/// grow.
const MAP_FROM_BYTES: u64 = 1 << 20;

/// A file changed within this time may still be growing. It is read instead of mapped, because
/// access to a mapped file fails after a truncation.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// The part of the input that the reader was given.
#[derive(PartialEq, Eq)]
pub(super) enum Pushed {
    /// A chunk; more may follow.
    Part,
    /// The whole input.
    Whole,
}

/// Gives a file to the reader. Big files are mapped. `is_only` says that the input has no other file.
pub(super) fn push_part(
    path: &Path,
    is_only: bool,
    reader: &mut AnyReader,
    out: &mut Target<'_>,
) -> Result<Pushed> {
    if path.as_os_str() == "-" {
        return push_stream(piped()?, None, reader, out);
    }
    let file = File::open(path).context("cannot open")?;
    let facts = file.metadata().context("cannot look at")?;
    if facts.is_dir() {
        bail!("{}", folder::advice(path));
    }
    let settled = facts.modified().ok().and_then(|at| at.elapsed().ok()) > Some(SETTLED_AFTER);
    if facts.is_file()
        && facts.len() >= MAP_FROM_BYTES
        && settled
        && let Ok(map) = Map::new(&file)
    {
        let pushed = push_mapped(&map, is_only, reader, out);
        // A truncated file reads as zeros, which explains any other error. So this error is reported first.
        map.check()?;
        return pushed;
    }
    let length = facts.is_file().then_some(facts.len());
    push_stream(file, length, reader, out)
}

/// Standard input, unless it is a terminal.
fn piped() -> Result<StdinLock<'static>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        bail!("standard input is a terminal; pipe a trace into it, or name a file");
    }
    Ok(stdin.lock())
}

/// Saves standard input in a temporary file, which is deleted when it is dropped.
///
/// # Errors
/// If it is a terminal, or the file cannot be written.
pub fn save_stdin() -> Result<Scratch> {
    let mut scratch = Scratch::new().context("cannot save standard input")?;
    std::io::copy(&mut piped()?, scratch.file()).context("cannot save standard input")?;
    Ok(scratch)
}

fn push_stream(
    from: impl Read,
    length: Option<u64>,
    reader: &mut AnyReader,
    out: &mut Target<'_>,
) -> Result<Pushed> {
    let progress = Progress::new(length);
    let fed = feed(from, PART_BYTES, |part| {
        reader.feed(part, out)?;
        progress.add(part.len());
        Ok::<_, ReadError>(())
    });
    fed.map_err(|error| match error {
        FeedError::Refused(error) => anyhow::Error::from(error),
        error => error.into(),
    })?;
    Ok(Pushed::Part)
}

fn push_mapped(
    map: &Map,
    is_only: bool,
    reader: &mut AnyReader,
    out: &mut Target<'_>,
) -> Result<Pushed> {
    let progress = Progress::new(Some(map.len() as u64));
    if is_only && wants_whole(map) {
        reader.whole(map, out)?;
        return Ok(Pushed::Whole);
    }
    let mut from = 0;
    reader.feed_parts(map, out, &mut |bytes| {
        progress.add(bytes);
        // The reader copies what it keeps.
        map.give_back(from, bytes);
        from += bytes;
    })?;
    Ok(Pushed::Part)
}
