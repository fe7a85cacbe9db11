//! The head of the file, which determines how the rest is read.

use traceloom_trace::Place;

use super::compression::Codec;
use super::input::{Input, wrong};
use crate::bytes::ByteOrder;
use crate::error::{ReadError, printable};

/// The magic number.
pub(super) const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// The head of the file.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub order: ByteOrder,
    /// The page size of the traced machine, bytes.
    pub page_bytes: u32,
    pub version: Version,
}

/// The version, with its own fields.
#[derive(Clone, Debug)]
pub(super) enum Version {
    /// Parts in a fixed order.
    Six,
    /// Sections, which options point to.
    Seven {
        codec: Codec,
        /// The position of the first options in the file, bytes.
        options: u64,
    },
}

impl Head {
    /// Reads the head. The input returned begins after it.
    pub fn read(bytes: &[u8]) -> Result<(Self, Input<'_>), ReadError> {
        const INSIDE: &str = "the header";
        let (
            Start {
                version,
                place,
                page_bytes,
            },
            mut input,
        ) = Start::read(bytes)?;
        let version = match version {
            b"6" => Version::Six,
            b"7" => {
                let name = input.text(INSIDE)?;
                let codec = Codec::named(name, input.place())?;
                input.text(INSIDE)?;
                Version::Seven {
                    codec,
                    options: input.u64(INSIDE)?,
                }
            }
            other => return Err(wrong("the version", printable(other), "6 or 7", place)),
        };
        let head = Self {
            order: input.order(),
            page_bytes,
            version,
        };
        Ok((head, input))
    }
}

/// The part of the head that is the same in all versions, including perf's version.
pub(super) struct Start<'a> {
    pub version: &'a [u8],
    /// The place of the version.
    pub place: Place,
    pub page_bytes: u32,
}

impl<'a> Start<'a> {
    /// Reads the start. The input returned begins after it, and has the byte order of the file.
    pub fn read(bytes: &'a [u8]) -> Result<(Self, Input<'a>), ReadError> {
        const INSIDE: &str = "the header";
        let mut input = Input::new(bytes, 0, ByteOrder::default());
        input.take(MAGIC.len() as u64, INSIDE)?;
        let place = input.place();
        let version = input.text(INSIDE)?;
        let big_endian = match input.take(1, INSIDE)? {
            [0] => false,
            [1] => true,
            other => {
                let place = Place::at_offset(input.offset() - 1);
                return Err(wrong("the byte order", printable(other), "0 or 1", place));
            }
        };
        input.set_order(ByteOrder { big_endian });
        // The size of `long` in the recorder. The kernel's is in header_page.
        input.take(1, INSIDE)?;
        let page_bytes = input.u32(INSIDE)?;
        let start = Self {
            version,
            place,
            page_bytes,
        };
        Ok((start, input))
    }
}
