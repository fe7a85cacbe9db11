//! The entries of an archive. The archive may be truncated, and a file may hold several archives.

use super::content::{Content, Fault, broken};
use super::headers::Record;
use super::parts::Parts;
use crate::archive::{Entry, pair};
use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::format_id;
use crate::perf_data::begins_perf;
use crate::unwrap::Inner;

/// The maximum number of bytes that are decompressed at once.
const PIECE: usize = 128 << 10;

/// An archive in memory.
pub(super) struct Archive<'a> {
    parts: Parts<'a>,
    bytes: u64,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Ok(Self {
            parts: Parts::find(bytes)?,
            bytes: bytes.len() as u64,
        })
    }

    /// The archives found in the file.
    pub fn parts(&self) -> &Parts<'a> {
        &self.parts
    }

    /// All entries except folders, in order.
    pub fn entries(&self) -> Vec<Entry> {
        let records = self.parts.records.iter();
        let names: Vec<_> = records.map(|record| record.name.as_str()).collect();
        pair(&names, |index| begins_perf(&self.begin(index, 8)))
    }

    /// Reads an entry; returns why it ends early, if it does. `is_first` means that no entry was read
    /// before.
    pub fn read(
        &self,
        entry: &Entry,
        options: &ReadOptions,
        is_first: bool,
        out: &mut Target<'_>,
    ) -> Result<Option<Fault>, ReadError> {
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
        let mut fault = self.pass_on(entry.index, &mut inner, out)?;
        for then in &entry.then {
            if fault.is_none() {
                fault = self.pass_on(*then, &mut inner, out)?;
            }
        }
        inner.finish(out)?;
        Ok(fault)
    }

    /// The first `most` bytes of an entry; fewer if it is damaged.
    pub fn head(&self, entry: &Entry, most: u64) -> Vec<u8> {
        self.begin(entry.index, most)
    }

    fn begin(&self, index: usize, most: u64) -> Vec<u8> {
        let mut head = vec![0; most as usize];
        let mut length = 0;
        // Damage is reported when the entry is read.
        if let Ok(mut content) = Content::of(self.record(index)) {
            while let Ok(more @ 1..) = content.read(&mut head[length..]) {
                length += more;
            }
        }
        head.truncate(length);
        head
    }

    fn record(&self, index: usize) -> &Record<'a> {
        &self.parts.records[index]
    }

    /// Unpacks an entry into `inner`; returns why it ends early, if it does.
    fn pass_on(
        &self,
        index: usize,
        inner: &mut Inner,
        out: &mut Target<'_>,
    ) -> Result<Option<Fault>, ReadError> {
        let record = self.record(index);
        let mut content = Content::of(record)?;
        let packed = record.data.map_or(0, <[u8]>::len) as u64;
        let mut piece = vec![0; PIECE];
        loop {
            match content.read(&mut piece) {
                Ok(0) => return Ok(None),
                Ok(length) => inner.unpacked(&piece[..length], packed, out)?,
                Err(fault) if inner.given() == 0 => return Err(self.nothing(fault)),
                Err(fault) => return Ok(Some(fault)),
            }
        }
    }

    /// The error for an entry that gave no content.
    fn nothing(&self, fault: Fault) -> ReadError {
        match fault {
            Fault::Broken(reason) => broken(reason),
            Fault::Cut => ReadError::Truncated {
                format: format_id::ZIP,
                inside: "the entry",
                offset: self.bytes,
            },
        }
    }
}
