//! The members of a tar archive.
//!
//! ```text
//! header   512 bytes: name 0..100, size 124..136 (octal), checksum 148..156, type 156, "ustar" 257..262, prefix 345..500
//! content  padded to 512 bytes
//! type     '0' or 0: file    'L': the long name of the next file (GNU)    'x': its attributes, "LENGTH path=NAME\n" (pax)
//! end      a block of zeros
//! ```
//! Source: POSIX.1-2024, "pax – ustar Interchange Format"; GNU tar's manual, "Basic Tar Format".

/// The size of a block, bytes.
const BLOCK: usize = 512;

/// The longest name, bytes.
const LONGEST_NAME: usize = 4_096;

/// A file in the archive.
pub(super) struct Entry<'a> {
    pub name: String,
    pub bytes: &'a [u8],
    /// Whether the archive has all of its bytes.
    pub is_whole: bool,
}

/// The files of an archive, in order.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    torn: bool,
}

/// Whether a file begins with a header.
pub(super) fn begins(head: &[u8]) -> bool {
    let header = head.first_chunk::<BLOCK>();
    header.is_some_and(|header| &header[257..262] == b"ustar" && is_valid(header))
}

impl<'a> Entries<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            torn: false,
        }
    }

    /// Whether the archive broke off, or something that is not a header followed.
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    /// The next header and what belongs to it.
    fn member(&mut self) -> Option<(&'a [u8; BLOCK], &'a [u8], bool)> {
        let Some((header, rest)) = self.rest.split_first_chunk::<BLOCK>() else {
            self.torn |= !self.rest.is_empty();
            return None;
        };
        if header.iter().all(|byte| *byte == 0) {
            return None;
        }
        let size = number(&header[124..136]).filter(|_| is_valid(header));
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            self.torn = true;
            return None;
        };
        let content = &rest[..size.min(rest.len())];
        let padded = size.checked_next_multiple_of(BLOCK).unwrap_or(usize::MAX);
        self.rest = &rest[padded.min(rest.len())..];
        self.torn |= content.len() < size;
        Some((header, content, content.len() == size))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        let mut long_name = None;
        while let Some((header, bytes, is_whole)) = self.member() {
            match header[156] {
                b'L' => long_name = Some(text(bytes)),
                b'x' => long_name = path(bytes).or(long_name),
                b'0' | 0 | b'7' => {
                    let name = long_name.take().unwrap_or_else(|| short_name(header));
                    return Some(Entry {
                        name,
                        bytes,
                        is_whole,
                    });
                }
                // Folders, links, devices, and attributes of all files.
                b'g' | b'K' => {}
                _ => long_name = None,
            }
        }
        None
    }
}

/// Whether the checksum of a header is right: the sum of its bytes, those of the checksum counted as spaces.
fn is_valid(header: &[u8; BLOCK]) -> bool {
    let bytes = header.iter().enumerate();
    let sum: u64 = bytes
        .map(|(at, byte)| match at {
            148..156 => u64::from(b' '),
            _ => u64::from(*byte),
        })
        .sum();
    number(&header[148..156]) == Some(sum)
}

/// An octal number, padded with spaces and zero bytes; or a binary one, whose first bit is set (GNU).
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        let (high, low) = rest.split_at(rest.len().saturating_sub(8));
        let fits = high.iter().all(|byte| *byte == 0);
        let value = low
            .iter()
            .fold(0, |value, byte| value << 8 | u64::from(*byte));
        return fits.then_some(value);
    }
    let digits = text(field);
    u64::from_str_radix(digits.trim(), 8).ok()
}

/// A text up to its first zero byte.
fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0);
    let text = &field[..end.unwrap_or(field.len()).min(LONGEST_NAME)];
    String::from_utf8_lossy(text).into_owned()
}

fn short_name(header: &[u8; BLOCK]) -> String {
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    // GNU's older headers have other fields there.
    if &header[257..263] == b"ustar\0" && !prefix.is_empty() {
        format!("{prefix}/{name}")
    } else {
        name
    }
}

/// The path in the attributes of a file: `27 path=…\n`.
fn path(mut records: &[u8]) -> Option<String> {
    loop {
        let space = records.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
        let record = records.get(space + 1..length)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            return Some(text(path.strip_suffix(b"\n").unwrap_or(path)));
        }
        records = &records[length..];
    }
}
