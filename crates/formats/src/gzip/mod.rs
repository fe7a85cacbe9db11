//! gzip (RFC 1952): `.gz` files, several members included.

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::unwrap::{DeflateReader, Wrapping};

/// gzip: opens the data inside.
pub(crate) struct Gzip;

impl Format for Gzip {
    fn id(&self) -> &'static str {
        format_id::GZIP
    }

    fn title(&self) -> &'static str {
        "gzip"
    }

    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        const DEFLATE: &[u8] = &[0x1f, 0x8b, 8];
        if head.starts_with(DEFLATE) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let reader = DeflateReader::new(self.id(), Wrapping::Gzip, options);
        Some(Box::new(reader))
    }
}

#[cfg(test)]
mod tests;
