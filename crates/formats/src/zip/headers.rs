//! The headers of a zip archive. The archive may be damaged.
//!
//! ```text
//! local       "PK\3\4"  flags 6, method 8, checksum 14, sizes 18 and 22, lengths of name and extra 26, 28
//!             30 bytes, name, extra, data, and a descriptor if flag 3 is set
//! descriptor  "PK\7\8" (often left out)  checksum, sizes: 4 bytes each, or 8 in big archives
//! directory   "PK\1\2"  flags 8, method 10, checksum 16, sizes 20 and 24, lengths of name, extra and comment 28, 30, 32,
//!             local header 42; 46 bytes, name, extra, comment
//! end         "PK\6\6"  its size 4 (8 bytes)      "PK\6\7"  20 bytes      "PK\5\6"  length of the comment 20; 22 bytes
//! extra       id, length, data.  id 1: sizes and positions that need more than 4 bytes;  id 0x7075: the name in UTF-8
//! ```
//! Source: PKWARE's APPNOTE.TXT 6.3.10, 4.3 to 4.6.

use std::ops::Range;

use memchr::memmem;

use crate::bytes::{le_u16, le_u32, le_u64};

/// The beginning of a local header.
pub(super) const LOCAL: &[u8] = b"PK\x03\x04";

/// The size of a local header without its name, bytes.
pub(super) const LOCAL_BYTES: usize = 30;

const LISTED: &[u8] = b"PK\x01\x02";
const LISTED_BYTES: usize = 46;

/// Set if checksum and sizes follow the data.
const DESCRIPTOR: u16 = 1 << 3;

/// A size that is in the extra field.
const IN_EXTRA: u64 = u32::MAX as u64;

/// An entry, still packed.
pub(super) struct Record<'a> {
    pub name: String,
    pub flags: u16,
    pub method: u16,
    /// The checksum of the content; `None` if the archive ends before it.
    pub checksum: Option<u32>,
    /// The data, as far as the archive has it; `None` if the directory points at something else.
    pub data: Option<&'a [u8]>,
    /// The position of the data.
    pub at: usize,
    /// Whether the archive ends before the data.
    pub is_cut: bool,
}

impl Record<'_> {
    /// Whether the complete data contains this part of the file.
    pub fn contains(&self, part: &Range<usize>) -> bool {
        let end = self.at + self.data.map_or(0, <[u8]>::len);
        !self.is_cut && self.at <= part.start && part.end <= end
    }
}

/// The entries of a directory.
pub(super) struct Directory<'a> {
    pub records: Vec<Record<'a>>,
    /// The position of the first entry, or of the directory itself if it is empty.
    pub start: usize,
    /// The end of the archive.
    pub end: usize,
}

/// Reads the directory at `at`. Positions in it count from `offset`.
pub(super) fn directory(bytes: &[u8], offset: usize, at: usize) -> Directory<'_> {
    let (mut rest, mut start) = (at, at);
    let mut records = Vec::new();
    while let Some((record, position, end)) = listed(bytes, offset, rest) {
        start = start.min(position);
        records.push(record);
        rest = end;
    }
    Directory {
        records,
        start,
        end: end_of_archive(bytes, rest),
    }
}

/// An entry of a directory, the position of its local header, and the position after it.
fn listed(bytes: &[u8], offset: usize, at: usize) -> Option<(Record<'_>, usize, usize)> {
    let header = part(bytes, at, LISTED_BYTES).filter(|header| header.starts_with(LISTED))?;
    let length = |at| le_u16(header, at).map(usize::from);
    let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
    let extra_at = at + LISTED_BYTES + name;
    let name = part(bytes, at + LISTED_BYTES, name)?;
    let end = extra_at + extra + comment;
    let extra = part(bytes, extra_at, extra)?;
    let stated = |at| le_u32(header, at).map(u64::from);
    let [_, packed, position] = sizes([stated(24)?, stated(20)?, stated(42)?], extra);
    let position = usize::try_from(position).map_or(usize::MAX, |at| at.saturating_add(offset));
    let start = local(bytes, position).map(|(_, start)| start);
    let data = start.map(|start| data_at(bytes, start, packed));
    let record = Record {
        name: text(name, extra),
        flags: le_u16(header, 8)?,
        method: le_u16(header, 10)?,
        checksum: Some(le_u32(header, 16)?),
        data: data.map(|(data, _)| data),
        at: start.unwrap_or_default(),
        is_cut: data.is_some_and(|(_, is_cut)| is_cut),
    };
    Some((record, position.min(at), end))
}

/// Consecutive entries from `at` on, for archives without a directory.
pub(super) fn one_by_one(bytes: &[u8], mut at: usize) -> Vec<Record<'_>> {
    let next = || {
        let (record, end) = next(bytes, at)?;
        at = end;
        Some(record)
    };
    std::iter::from_fn(next).collect()
}

fn next(bytes: &[u8], at: usize) -> Option<(Record<'_>, usize)> {
    let (header, start) = local(bytes, at)?;
    let name_at = at + LOCAL_BYTES;
    let extra_at = name_at + usize::from(le_u16(header, 26)?);
    let (name, extra) = (bytes.get(name_at..extra_at)?, bytes.get(extra_at..start)?);
    let flags = le_u16(header, 6)?;
    let stated = |at| le_u32(header, at).map(u64::from);
    let [_, packed, _] = sizes([stated(22)?, stated(18)?, 0], extra);
    let found = if flags & DESCRIPTOR != 0 && packed == 0 {
        described(bytes, start)
    } else {
        let (data, is_cut) = data_at(bytes, start, packed);
        (data, is_cut, Some(le_u32(header, 14)?), start + data.len())
    };
    let (data, is_cut, checksum, end) = found;
    let record = Record {
        name: text(name, extra),
        flags,
        method: le_u16(header, 8)?,
        checksum,
        data: Some(data),
        at: start,
        is_cut,
    };
    Some((record, end))
}

/// The data at `start`, whether the archive ends before it, its checksum, and the position after it.
fn described(bytes: &[u8], start: usize) -> (&[u8], bool, Option<u32>, usize) {
    match descriptor(bytes, start) {
        Some(found) => {
            let data = &bytes[start..found.data_end];
            (data, false, Some(found.checksum), found.end)
        }
        None => (&bytes[start..], true, None, bytes.len()),
    }
}

/// A local header, and the position of its data.
fn local(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let header = part(bytes, at, LOCAL_BYTES).filter(|header| header.starts_with(LOCAL))?;
    let more = usize::from(le_u16(header, 26)?) + usize::from(le_u16(header, 28)?);
    let data = at + LOCAL_BYTES + more;
    (data <= bytes.len()).then_some((header, data))
}

/// Data of `size` bytes at `at`, and whether the archive ends before it.
fn data_at(bytes: &[u8], at: usize, size: u64) -> (&[u8], bool) {
    let rest = &bytes[at..];
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    (&rest[..size.min(rest.len())], size > rest.len())
}

/// The descriptor after data whose size is not in its header.
struct Descriptor {
    checksum: u32,
    data_end: usize,
    end: usize,
}

/// The descriptor of the data at `start`. It is recognised by the size that it contains.
fn descriptor(bytes: &[u8], start: usize) -> Option<Descriptor> {
    let marks = memmem::find_iter(&bytes[start..], b"PK").map(|at| start + at);
    let mut found = marks.filter_map(|at| match bytes.get(at..at + 4)? {
        b"PK\x07\x08" => descriptor_at(bytes, start, at, 4),
        LOCAL | LISTED => [12, 20].iter().find_map(|length| {
            let before = at.checked_sub(*length).filter(|at| *at >= start)?;
            descriptor_at(bytes, start, before, 0).filter(|found| found.end == at)
        }),
        _ => None,
    });
    found.next()
}

/// The descriptor at `at`, with a signature of `mark` bytes, if it contains the size of the data before it. Another
/// header must follow, or nothing.
fn descriptor_at(bytes: &[u8], start: usize, at: usize, mark: usize) -> Option<Descriptor> {
    let (fields, size) = (at + mark, (at - start) as u64);
    let tells_size = |length: &usize| {
        let row = part(bytes, fields, *length)?;
        let stated = match length {
            12 => le_u32(row, 4)?.into(),
            _ => le_u64(row, 4)?,
        };
        Some(stated == size)
    };
    let goes_on = |end: usize| bytes[end..].starts_with(b"PK") || end == bytes.len();
    let lengths = [12, 20].into_iter();
    let end = lengths
        .filter(|length| tells_size(length) == Some(true))
        .map(|length| fields + length)
        .find(|end| goes_on(*end))?;
    Some(Descriptor {
        checksum: le_u32(bytes, fields)?,
        data_end: at,
        end,
    })
}

/// The position after the end records at `at`.
fn end_of_archive(bytes: &[u8], at: usize) -> usize {
    last_record(bytes, at).map_or(bytes.len(), |end| end.min(bytes.len()))
}

/// The position after the last of the end records at `at`; `None` if it is missing, or if an unknown record or a
/// signature of the directory comes before it.
fn last_record(bytes: &[u8], mut at: usize) -> Option<usize> {
    const SHORTEST: usize = 22;
    loop {
        let rest = bytes.get(at..).filter(|rest| rest.len() >= SHORTEST)?;
        at = match rest.first_chunk()? {
            b"PK\x06\x06" => at
                .saturating_add(12)
                .saturating_add(le_u64(rest, 4)? as usize),
            b"PK\x06\x07" => at + 20,
            b"PK\x05\x06" => return Some(at + SHORTEST + usize::from(le_u16(rest, 20)?)),
            _ => return None,
        };
    }
}

/// Sizes and a position. The values that are too large are in the extra field, in this order.
fn sizes(mut stated: [u64; 3], extra: &[u8]) -> [u64; 3] {
    let mut big = field(extra, 1).unwrap_or_default();
    for size in stated.iter_mut().filter(|size| **size == IN_EXTRA) {
        let Some((first, rest)) = big.split_first_chunk() else {
            break;
        };
        (*size, big) = (u64::from_le_bytes(*first), rest);
    }
    stated
}

/// A name. The extra field may have it in UTF-8.
fn text(name: &[u8], extra: &[u8]) -> String {
    const VERSION_AND_CHECKSUM: usize = 5;
    let better = field(extra, 0x7075).and_then(|field| field.get(VERSION_AND_CHECKSUM..));
    String::from_utf8_lossy(better.unwrap_or(name)).into_owned()
}

/// The extra field with a number.
fn field(mut extra: &[u8], id: u16) -> Option<&[u8]> {
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let length = usize::from(le_u16(head, 2)?);
        if le_u16(head, 0)? == id {
            return rest.get(..length);
        }
        extra = rest.get(length..)?;
    }
    None
}

fn part(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}
