//! The entries of an archive. The archive may be truncated.

use std::io::{Cursor, Read};

use rustc_hash::FxHashMap;
use zip::ZipArchive;
use zip::read::read_zipfile_from_stream;

use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::format_id;
use crate::unwrap::Inner;

/// An entry to be read.
pub(super) struct Entry {
    pub name: String,
    index: usize,
    /// The entry that continues this one. Old recordings are a pair `x.key` + `x.data`.
    then: Option<usize>,
}

/// An archive in memory.
pub(super) struct Archive<'a> {
    kind: Kind<'a>,
    bytes: u64,
}

enum Kind<'a> {
    Whole(Box<ZipArchive<Cursor<&'a [u8]>>>),
    /// The list at the end is missing, so entries are found one by one.
    Torn {
        entries: Vec<(String, &'a [u8])>,
    },
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let size = bytes.len() as u64;
        let reason = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => {
                let kind = Kind::Whole(Box::new(archive));
                return Ok(Self { kind, bytes: size });
            }
            Err(error) => error.to_string(),
        };
        let entries = one_by_one(bytes);
        if entries.is_empty() {
            return Err(ReadError::Compression {
                format: format_id::ZIP,
                offset: 0,
                reason,
            });
        }
        let kind = Kind::Torn { entries };
        Ok(Self { kind, bytes: size })
    }

    /// Whether the archive is truncated.
    pub fn is_torn(&self) -> bool {
        matches!(self.kind, Kind::Torn { .. })
    }

    /// All entries except folders, in order.
    pub fn entries(&self) -> Vec<Entry> {
        let names: Vec<String> = match &self.kind {
            Kind::Torn { entries } => entries.iter().map(|(name, _)| name.clone()).collect(),
            Kind::Whole(archive) => archive
                .file_names_raw()
                .map(|name| String::from_utf8_lossy(name).into_owned())
                .collect(),
        };
        pair(&names)
    }

    /// Reads an entry; returns whether it was complete. `is_first` means that no entry was read
    /// before.
    pub fn read(
        &mut self,
        entry: &Entry,
        options: &ReadOptions,
        is_first: bool,
        out: &mut Target<'_>,
    ) -> Result<bool, ReadError> {
        if matches!(out, Target::Methods(_)) && !is_first {
            // A consumer of method events accepts only one trace.
            return Err(ReadError::NoMethodEvents {
                format: format_id::ZIP,
            });
        }
        let name = match options.name.as_str() {
            "" => entry.name.clone(),
            outer => format!("{outer}/{}", entry.name),
        };
        let mut inner = Inner::new(
            format_id::ZIP,
            &ReadOptions {
                name,
                ..options.clone()
            },
        );
        let mut whole = self.pass_on(entry.index, &mut inner, out)?;
        if let (true, Some(then)) = (whole, entry.then) {
            whole = self.pass_on(then, &mut inner, out)?;
        }
        inner.finish(out)?;
        Ok(whole)
    }

    /// The first bytes of an entry, up to a number; fewer if it is damaged.
    pub fn head(&mut self, entry: &Entry, most: u64) -> Vec<u8> {
        let mut head = Vec::new();
        // What is damaged is reported when the entry is read.
        _ = match &mut self.kind {
            Kind::Whole(archive) => match archive.by_index(entry.index) {
                Ok(file) => file.take(most).read_to_end(&mut head),
                Err(_) => Ok(0),
            },
            Kind::Torn { entries } => match read_zipfile_from_stream(&mut &*entries[entry.index].1)
            {
                Ok(Some(file)) => file.take(most).read_to_end(&mut head),
                _ => Ok(0),
            },
        };
        head
    }

    fn pass_on(
        &mut self,
        index: usize,
        inner: &mut Inner,
        out: &mut Target<'_>,
    ) -> Result<bool, ReadError> {
        // No entry is larger than the archive, whatever size it declares.
        let most = self.bytes;
        match &mut self.kind {
            Kind::Whole(archive) => match archive.by_index(index) {
                Ok(mut file) => {
                    let packed = file.compressed_size().min(most);
                    pump(&mut file, packed, inner, out)
                }
                Err(error) => Err(broken(error.to_string())),
            },
            Kind::Torn { entries } => {
                let mut rest = entries[index].1;
                match read_zipfile_from_stream(&mut rest) {
                    Ok(Some(mut file)) => pump(&mut file, most, inner, out),
                    Ok(None) => Err(ReadError::Empty),
                    Err(error) => Err(broken(error.to_string())),
                }
            }
        }
    }
}

fn broken(reason: String) -> ReadError {
    ReadError::Compression {
        format: format_id::ZIP,
        offset: 0,
        reason,
    }
}

/// Decompresses a file into `inner`; `false` if it ends early.
fn pump(
    file: &mut impl Read,
    packed: u64,
    inner: &mut Inner,
    out: &mut Target<'_>,
) -> Result<bool, ReadError> {
    let mut piece = vec![0; 128 << 10];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(true),
            Ok(length) => inner.unpacked(&piece[..length], packed, out)?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) if inner.given() == 0 => return Err(broken(error.to_string())),
            Err(_) => return Ok(false),
        }
    }
}

/// The entries of a truncated archive, as far as they follow each other: the name, and the bytes
/// from that entry on.
fn one_by_one(bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut rest = bytes;
    let next = || {
        let start = rest;
        // Dropping the file skips its data.
        let file = read_zipfile_from_stream(&mut rest).ok()??;
        let name = file.name().ok()?.into_owned();
        Some((name, start))
    };
    std::iter::from_fn(next).collect()
}

/// Joins each pair `x.key` and `x.data` into one entry.
fn pair(names: &[String]) -> Vec<Entry> {
    let rows = names.iter().enumerate();
    let by_name: FxHashMap<&str, usize> = rows.map(|(row, name)| (name.as_str(), row)).collect();
    let find = |name: String| by_name.get(name.as_str()).copied();
    let mut entries = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let is_second = name
            .strip_suffix(".data")
            .is_some_and(|base| find(format!("{base}.key")).is_some());
        if is_second || name.ends_with('/') {
            continue;
        }
        let then = name
            .strip_suffix(".key")
            .and_then(|base| find(format!("{base}.data")));
        entries.push(Entry {
            name: name.clone(),
            index,
            then,
        });
    }
    entries
}
