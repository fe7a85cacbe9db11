//! A bare zlib stream (RFC 1950), for example cut out of an `atrace -z` file.

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::unwrap::{DeflateReader, Inflater, Outcome, Wrapping};

/// zlib: opens its contents.
pub(crate) struct Zlib;

/// Whether `head` begins with zlib's two header bytes: deflate with a 32 KB window, no dictionary
/// and a valid checksum. All levels: `78 01`, `78 5e`, `78 9c`, `78 da`.
pub(crate) fn has_header(head: &[u8]) -> bool {
    const NEEDS_DICTIONARY: u8 = 0x20;
    match head {
        [0x78, flags, ..] => {
            flags & NEEDS_DICTIONARY == 0 && (0x7800 + u16::from(*flags)).is_multiple_of(31)
        }
        _ => false,
    }
}

/// Whether a stream begins with a stored block: after the header come the block type, the length, and the length with
/// all bits inverted.
fn begins_with_stored(head: &[u8]) -> bool {
    match head {
        [_, _, 0 | 1, low, high, not_low, not_high, ..] => *low == !*not_low && *high == !*not_high,
        _ => false,
    }
}

impl Format for Zlib {
    fn id(&self) -> &'static str {
        format_id::ZLIB
    }

    fn title(&self) -> &'static str {
        "zlib stream"
    }

    fn is_container(&self) -> bool {
        true
    }

    /// Two bytes prove little, so the head must also decompress successfully. A stored block proves more, because its
    /// length is stored twice. Its contents may look like any text.
    fn sniff(&self, head: &[u8]) -> Confidence {
        const TRIED: usize = 4 << 10;
        if !has_header(head) {
            return Confidence::No;
        }
        let mut given = 0;
        let outcome = Inflater::zlib().push(&head[..head.len().min(TRIED)], |piece| {
            given += piece.len();
            Ok(())
        });
        match outcome {
            Ok(Outcome::Broken(_)) | Err(_) => Confidence::No,
            Ok(_) if given == 0 => Confidence::No,
            Ok(_) if begins_with_stored(head) => Confidence::Certain,
            Ok(_) => Confidence::Likely,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let reader = DeflateReader::new(self.id(), Wrapping::Zlib, options);
        Some(Box::new(reader))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_known_and_text_is_not() {
        for flags in [0x01, 0x5e, 0x9c, 0xda] {
            assert!(has_header(&[0x78, flags, 0]));
        }
        assert!(!has_header(b"xml"));
        assert_eq!(Zlib.sniff(b"x^2 + y^2"), Confidence::No);
    }
}
