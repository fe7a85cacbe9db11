//! The members of a tar archive.
//!
//! ```text
//! header   512 bytes: name 0..100, size 124..136 (octal), checksum 148..156, type 156, link 157..257, "ustar" 257..262,
//!          prefix 345..500, and in GNU's sparse files at 482: whether more blocks of the map follow
//! content  padded to 512 bytes
//! type     '0' or 0: file    'L': the long name of the next file (GNU)    'x': its attributes, "LENGTH path=NAME\n" (pax)
//!          '1': another name of a file    '2': link    '5': folder    'S': sparse file    'M': a part of a file
//! end      blocks of zeros; another archive may follow
//! ```
//! Source: POSIX.1-2024, "pax – ustar Interchange Format"; GNU tar's manual, "Basic Tar Format" and "Storing Sparse Files".

use traceloom_trace::Place;

use super::attributes::Attributes;
use super::header::{BLOCK, Header, text};
use crate::error::ReadError;
use crate::format_id;

/// A file in the archive.
pub(super) struct File<'a> {
    pub name: String,
    pub bytes: &'a [u8],
    /// Whether the archive has all of its bytes.
    pub is_whole: bool,
}

/// A member whose content is not read.
pub(super) struct Unread {
    pub name: String,
    kind: u8,
    is_sparse: bool,
    /// The position of its header.
    offset: usize,
}

/// A member that may hold a trace.
enum Member<'a> {
    File(File<'a>),
    Link(String),
    Unread(Unread),
}

/// The contents of an archive, in order.
#[derive(Default)]
pub(super) struct Contents<'a> {
    pub files: Vec<File<'a>>,
    /// Further names of files.
    pub links: Vec<String>,
    pub unread: Vec<Unread>,
    /// Whether the archive is truncated, or continues with something other than a header.
    pub is_torn: bool,
    /// The number of bytes after the end.
    pub trailing: usize,
}

/// Whether a file begins with a header.
pub(super) fn begins(head: &[u8]) -> bool {
    let header = head.first_chunk::<BLOCK>();
    header.is_some_and(|header| Header(header).begins_archive())
}

/// The contents of an archive.
pub(super) fn contents(bytes: &[u8]) -> Contents<'_> {
    let mut contents = Contents::default();
    let mut blocks = Blocks { bytes, at: 0 };
    while let Some(member) = next(&mut blocks, &mut contents) {
        match member {
            Member::File(file) => contents.files.push(file),
            Member::Link(name) => contents.links.push(name),
            Member::Unread(unread) => contents.unread.push(unread),
        }
    }
    contents
}

/// The next member that may hold a trace. Stores in `contents` how the archive ends.
fn next<'a>(blocks: &mut Blocks<'a>, contents: &mut Contents<'a>) -> Option<Member<'a>> {
    let mut attributes = Attributes::default();
    loop {
        let header = blocks.header(contents)?;
        let offset = blocks.at - BLOCK;
        let Some((bytes, is_whole)) = blocks.content(header, &attributes) else {
            contents.is_torn = true;
            return None;
        };
        contents.is_torn |= !is_whole;
        match header.kind() {
            b'L' => attributes.path = Some(text(bytes)),
            b'K' => attributes.link = Some(text(bytes)),
            b'x' | b'X' => attributes.add(bytes),
            b'g' => {}
            _ => match member(header, std::mem::take(&mut attributes), bytes, offset) {
                Some(Member::File(file)) => return Some(Member::File(File { is_whole, ..file })),
                None => {}
                other => return other,
            },
        }
    }
}

/// Classifies a member; `None` if it cannot hold a trace.
fn member<'a>(
    header: Header<'_>,
    attributes: Attributes,
    bytes: &'a [u8],
    offset: usize,
) -> Option<Member<'a>> {
    let (kind, is_sparse) = (header.kind(), attributes.is_sparse);
    let name = attributes.path.unwrap_or_else(|| header.name());
    match kind {
        b'0' | 0 | b'7' if !is_sparse => Some(file(name, bytes)),
        b'1' if bytes.is_empty() => {
            let to = attributes.link.unwrap_or_else(|| header.link());
            Some(Member::Link(format!("{name} (another name of {to})")))
        }
        b'2' | b'5' => None,
        _ if bytes.is_empty() => None,
        _ => Some(Member::Unread(Unread {
            name,
            kind,
            is_sparse,
            offset,
        })),
    }
}

fn file(name: String, bytes: &[u8]) -> Member<'_> {
    // Old archives have no type for folders; a slash at the end of the name marks them.
    let name = match bytes {
        [] => name,
        _ => name.trim_end_matches('/').to_owned(),
    };
    Member::File(File {
        name,
        bytes,
        is_whole: true,
    })
}

impl Unread {
    /// Why the member is not read.
    pub fn reason(&self) -> ReadError {
        let meaning = match self.kind {
            _ if self.is_sparse => "a sparse file",
            b'S' => "a sparse file",
            b'M' => "a part of a file of another volume",
            b'D' => "a list of a folder's files",
            b'1' => "a link with content",
            _ => "unknown",
        };
        ReadError::Field {
            format: format_id::TAR,
            field: "the type of the member",
            found: format!("{:?} ({meaning})", char::from(self.kind)),
            expected: "a file that is stored as it is",
            place: Place::at_offset(self.offset as u64),
        }
    }
}

/// The blocks of an archive from a position on.
struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Blocks<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next header. Blocks of zeros end an archive, and then only another archive may follow.
    fn header(&mut self, contents: &mut Contents<'_>) -> Option<Header<'a>> {
        let has_ended = self.skip_zeros();
        let rest = self.rest();
        let header = rest.first_chunk::<BLOCK>().map(Header);
        let is_header =
            |header: &Header<'_>| header.begins_archive() || (!has_ended && header.is_valid());
        if let Some(header) = header.filter(is_header) {
            self.at += BLOCK;
            return Some(header);
        }
        contents.is_torn |= !has_ended;
        if has_ended && rest.iter().any(|byte| *byte != 0) {
            contents.trailing = rest.len();
        }
        None
    }

    /// Skips blocks of zeros; returns whether there are any.
    fn skip_zeros(&mut self) -> bool {
        let blocks = self.rest().chunks_exact(BLOCK);
        let is_zero = |block: &&[u8]| block.iter().all(|byte| *byte == 0);
        let zeros = blocks.take_while(is_zero).count();
        self.at += zeros * BLOCK;
        zeros > 0
    }

    /// The content after a header, and whether it is complete; `None` if its size is unknown.
    fn content(&mut self, header: Header<'_>, attributes: &Attributes) -> Option<(&'a [u8], bool)> {
        let own = || header.size();
        // Members that describe the next member have their own size.
        let size = match header.kind() {
            b'x' | b'X' | b'g' | b'L' | b'K' => own(),
            _ => attributes.size.or_else(own),
        };
        let size = usize::try_from(size?).ok()?;
        self.skip_map(header);
        let rest = self.rest();
        let padded = size.checked_next_multiple_of(BLOCK).unwrap_or(usize::MAX);
        self.at += padded.min(rest.len());
        Some((&rest[..size.min(rest.len())], size <= rest.len()))
    }

    /// Skips the further blocks of a sparse file's map. Byte 504 of each shows whether another one follows.
    fn skip_map(&mut self, header: Header<'_>) {
        let mut follows = header.has_map();
        while follows {
            let block = self.rest().first_chunk::<BLOCK>();
            follows = block.is_some_and(|block| block[504] == 1);
            self.at += BLOCK.min(self.rest().len());
        }
    }
}
