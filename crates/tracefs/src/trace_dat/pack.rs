//! Compression of version 7.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// So much is packed at a time, in whole pages: readers unpack a chunk for an event in it.
const CHUNK_BYTES: usize = 256 << 10;

/// How a `trace.dat` of version 7 is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DatCompression {
    /// Not at all.
    #[default]
    None,
    /// zlib.
    Zlib,
    /// Zstandard: quicker, and what trace-cmd itself writes where it is built with it.
    Zstd,
}

impl DatCompression {
    /// As trace-cmd names it.
    ///
    /// # Errors
    /// The names that there are, for people.
    pub fn named(name: &str) -> Result<Self, &'static str> {
        match name {
            "none" => Ok(Self::None),
            "zlib" => Ok(Self::Zlib),
            "zstd" => Ok(Self::Zstd),
            _ => Err("none, zlib or zstd"),
        }
    }

    /// Its name in a file, and the version of the format.
    pub(super) fn name_and_version(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("none", ""),
            Self::Zlib => ("zlib", "1"),
            Self::Zstd => ("zstd", "1"),
        }
    }

    /// Packed bytes, with both lengths in front.
    pub(super) fn chunk(self, plain: &[u8]) -> Vec<u8> {
        let packed = match self {
            Self::None => plain.to_vec(),
            Self::Zlib => zlib(plain),
            Self::Zstd => compress_to_vec(plain, CompressionLevel::Fastest),
        };
        let lengths = [packed.len(), plain.len()].map(|length| (length as u32).to_ne_bytes());
        [&lengths.concat(), &packed[..]].concat()
    }

    /// Packs a CPU's pages: how many chunks there are, then the chunks. The bytes written.
    ///
    /// # Errors
    /// Those of `from` and `to`.
    pub(crate) fn pack(
        self,
        from: &mut impl Read,
        bytes: u64,
        page_bytes: usize,
        to: &mut impl Write,
    ) -> io::Result<u64> {
        if bytes == 0 {
            return Ok(0); // a CPU without pages has no chunks, and no count of them
        }
        let whole = (CHUNK_BYTES / page_bytes).max(1) * page_bytes;
        let chunks = bytes.div_ceil(whole as u64) as u32;
        to.write_all(&chunks.to_ne_bytes())?;
        let (mut left, mut written) = (bytes, 4);
        let mut plain = vec![0; whole];
        while left > 0 {
            let length = left.min(whole as u64) as usize;
            from.read_exact(&mut plain[..length])?;
            let chunk = self.chunk(&plain[..length]);
            to.write_all(&chunk)?;
            written += chunk.len() as u64;
            left -= length as u64;
        }
        Ok(written)
    }
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Memory takes everything.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_whole_pages() {
        let pages: Vec<u8> = (0..200 * 4096u32).map(|i| (i / 4096) as u8).collect();
        for compression in [DatCompression::Zlib, DatCompression::Zstd] {
            let mut packed = Vec::new();
            let bytes = pages.len() as u64;
            let written = compression.pack(&mut &pages[..], bytes, 4096, &mut packed);
            assert_eq!(written.unwrap(), packed.len() as u64);
            let number =
                |at: usize| u32::from_ne_bytes(packed[at..at + 4].try_into().unwrap()) as usize;
            let (mut at, mut plain) = (4, Vec::new());
            for _ in 0..number(0) {
                plain.push(number(at + 4));
                at += 8 + number(at);
            }
            assert_eq!(at, packed.len());
            assert_eq!(plain, [64 * 4096, 64 * 4096, 64 * 4096, 8 * 4096]);
        }
    }
}
