//! The header of a file, and the positions of its parts.

use traceloom_trace::Place;

use super::attr::Attr;
use super::features::feature;
use crate::bytes::{ByteOrder, Cursor};
use crate::error::ReadError;
use crate::format_id;

/// The first bytes of a file from a little-endian machine, and from a big-endian machine.
pub(super) const LITTLE: &[u8] = b"PERFILE2";
pub(super) const BIG: &[u8] = b"2ELIFREP";

/// Size of the header of a stream (`perf record -o -`), and of the smallest file header, bytes.
const OF_STREAM: u64 = 16;
const OF_FILE: u64 = 72;

/// An event with its ids.
pub(super) type AttrIds = (Attr, Vec<u64>);

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub order: ByteOrder,
    pub attrs: Vec<AttrIds>,
    pub data: &'a [u8],
    /// The offset of the data, bytes.
    pub data_at: usize,
    /// If the file is one of a folder (`perf record --threads`): the records of the further files, which follow this file
    /// here, and their offset.
    pub further: Option<(&'a [u8], usize)>,
    /// Each feature with its number.
    pub features: Vec<(u8, &'a [u8])>,
    /// The number of bytes that the header announces but the file does not have.
    pub missing: u64,
    /// Whether the recorder did not finish the file.
    pub is_open: bool,
}

/// A part of the file: its offset and length, bytes.
#[derive(Clone, Copy, Debug)]
struct Section {
    at: u64,
    length: u64,
}

impl Section {
    /// The length of the numbers, bytes.
    const BYTES: u64 = 16;

    fn end(self) -> u64 {
        self.at.saturating_add(self.length)
    }

    fn parse(from: &mut Cursor<'_>) -> Option<Self> {
        let (at, length) = (from.u64()?, from.u64()?);
        Some(Self { at, length })
    }

    /// The bytes of the section that are in the file, and the number of missing bytes.
    fn of(self, file: &[u8]) -> (&[u8], u64) {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        let rest = file.get(at..).unwrap_or_default();
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let bytes = &rest[..length.min(rest.len())];
        (bytes, self.length - bytes.len() as u64)
    }
}

impl<'a> Parts<'a> {
    /// Finds the parts of a file.
    ///
    /// # Errors
    /// If the header is not one of perf's, or has no events.
    pub fn find(file: &'a [u8]) -> Result<Self, ReadError> {
        let order = ByteOrder {
            big_endian: file.starts_with(BIG),
        };
        let mut from = Cursor::new(file, order);
        from.skip(8).ok_or_else(|| truncated(file))?;
        match from.u64().ok_or_else(|| truncated(file))? {
            OF_STREAM => Ok(Self::stream(file, order)),
            size if size < OF_FILE => Err(wrong("the size of the header", size.to_string(), 8)),
            size => {
                let head = Head::parse(from, size).ok_or_else(|| truncated(file))?;
                Self::file(file, &head, order)
            }
        }
    }

    fn stream(file: &'a [u8], order: ByteOrder) -> Self {
        let data_at = OF_STREAM as usize;
        Self {
            order,
            attrs: Vec::new(),
            data: &file[data_at..],
            data_at,
            further: None,
            features: Vec::new(),
            missing: 0,
            is_open: false,
        }
    }

    fn file(file: &'a [u8], head: &Head, order: ByteOrder) -> Result<Self, ReadError> {
        let (attrs, mut missing) = attrs(file, head, order)?;
        let is_open = head.data.length == 0;
        let mut data = head.data;
        if is_open {
            data.length = (file.len() as u64).saturating_sub(data.at);
        }
        let (bytes, missing_data) = data.of(file);
        let sections = if is_open {
            Vec::new()
        } else {
            features(file, head, order, &mut missing)
        };
        let further = end(file, data, &sections).map(|at| (&file[at..], at));
        let mut features = Vec::new();
        for (number, section) in sections {
            let (bytes, missing_bytes) = section.of(file);
            missing = missing.saturating_add(missing_bytes);
            features.push((number, bytes));
        }
        Ok(Self {
            order,
            attrs,
            data: bytes,
            data_at: data.at.min(file.len() as u64) as usize,
            further,
            features,
            missing: missing.saturating_add(missing_data),
            is_open,
        })
    }
}

/// Where the features are. Their places follow the data. Adds the bytes that the file does not have to `missing`.
fn features(file: &[u8], head: &Head, order: ByteOrder, missing: &mut u64) -> Vec<(u8, Section)> {
    let places = file.get(usize::try_from(head.data.end()).unwrap_or(usize::MAX)..);
    let mut places = Cursor::new(places.unwrap_or_default(), order);
    let mut features = Vec::new();
    for number in head.features() {
        match Section::parse(&mut places) {
            Some(section) => features.push((number, section)),
            None => *missing = missing.saturating_add(Section::BYTES),
        }
    }
    features
}

/// The offset at which the further files of a folder begin: the end of a file that says that it is in such a folder.
fn end(file: &[u8], data: Section, features: &[(u8, Section)]) -> Option<usize> {
    let mut numbers = features.iter().map(|(number, _)| *number);
    if !numbers.any(|number| number == feature::DIR_FORMAT) {
        return None;
    }
    let places = Section {
        at: data.end(),
        length: Section::BYTES * features.len() as u64,
    };
    let parts = features.iter().map(|(_, section)| *section);
    let end = parts.chain([places]).map(Section::end).max()?;
    Some(usize::try_from(end).map_or(file.len(), |end| end.min(file.len())))
}

/// The header of a file.
struct Head {
    attr_size: u64,
    attrs: Section,
    data: Section,
    /// A bit for each feature.
    features: [u64; 4],
}

impl Head {
    fn parse(mut from: Cursor<'_>, size: u64) -> Option<Self> {
        let attr_size = from.u64()?;
        let (attrs, data) = (Section::parse(&mut from)?, Section::parse(&mut from)?);
        Section::parse(&mut from)?;
        let mut features = [0; 4];
        for (number, bits) in features.iter_mut().enumerate() {
            if size >= OF_FILE + 8 * (number as u64 + 1) {
                *bits = from.u64()?;
            }
        }
        Some(Self {
            attr_size,
            attrs,
            data,
            features,
        })
    }

    /// The numbers of the features.
    fn features(&self) -> impl Iterator<Item = u8> {
        let bits = self.features;
        (0..=u8::MAX).filter(move |number| bits[usize::from(number / 64)] >> (number % 64) & 1 == 1)
    }
}

/// The events, and the number of missing bytes.
fn attrs(file: &[u8], head: &Head, order: ByteOrder) -> Result<(Vec<AttrIds>, u64), ReadError> {
    /// Size of the section that gives the position of the ids, bytes.
    const IDS: usize = 16;
    let (bytes, mut missing) = head.attrs.of(file);
    let size = usize::try_from(head.attr_size).unwrap_or(usize::MAX);
    if size < 64 + IDS {
        return Err(wrong("the size of attributes", size.to_string(), 16));
    }
    let mut attrs = Vec::new();
    // In a hostile file, sections of ids may overlap.
    let mut room = file.len() / 8;
    for entry in bytes.chunks_exact(size) {
        let (attr, ids) = entry.split_at(size - IDS);
        let Some((attr, section)) =
            Attr::parse(attr, order).zip(Section::parse(&mut Cursor::new(ids, order)))
        else {
            continue;
        };
        let (ids, missing_ids) = section.of(file);
        missing = missing.saturating_add(missing_ids);
        let ids: Vec<_> = Cursor::new(ids, order).numbers().take(room).collect();
        room -= ids.len();
        attrs.push((attr, ids));
    }
    if attrs.is_empty() {
        return Err(wrong("the number of events", "0".to_owned(), 24));
    }
    Ok((attrs, missing))
}

fn wrong(field: &'static str, found: String, at: u64) -> ReadError {
    ReadError::Field {
        format: format_id::PERF_DATA,
        field,
        found,
        expected: "what perf since Linux 3.2 or simpleperf writes",
        place: Place::at_offset(at),
    }
}

fn truncated(file: &[u8]) -> ReadError {
    ReadError::Truncated {
        format: format_id::PERF_DATA,
        inside: "the header",
        offset: file.len() as u64,
    }
}
