//! The compression of version 7.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// Size of a chunk of pages, bytes. Readers decompress a whole chunk to read an event.
const CHUNK_BYTES: usize = 256 << 10;

/// How a `trace.dat` of version 7 is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DatCompression {
    /// No compression.
    #[default]
    None,
    /// zlib.
    Zlib,
    /// Zstandard: faster than zlib, and the default of trace-cmd.
    Zstd,
}

impl DatCompression {
    /// The compression with trace-cmd's name: `none`, `zlib` or `zstd`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "zlib" => Some(Self::Zlib),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The name and version in the file.
    pub(super) fn name_and_version(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("none", ""),
            Self::Zlib => ("zlib", "1"),
            Self::Zstd => ("zstd", "1"),
        }
    }

    /// Compresses a chunk. The result begins with both sizes.
    pub(super) fn chunk(self, plain: &[u8]) -> Vec<u8> {
        let compressed = match self {
            Self::None => plain.to_vec(),
            Self::Zlib => zlib(plain),
            Self::Zstd => compress_to_vec(plain, CompressionLevel::Fastest),
        };
        let sizes = [compressed.len(), plain.len()].map(|size| (size as u32).to_ne_bytes());
        [&sizes.concat(), &compressed[..]].concat()
    }

    /// Compresses a CPU's pages: writes the number of chunks, then the chunks. Returns the number of
    /// written bytes.
    ///
    /// # Errors
    /// The errors of `from` and `to`.
    pub(crate) fn compress(
        self,
        from: &mut impl Read,
        bytes: u64,
        page_bytes: usize,
        to: &mut impl Write,
    ) -> io::Result<u64> {
        if bytes == 0 {
            return Ok(0); // a CPU without pages does not have a number of chunks either
        }
        let chunk_bytes = (CHUNK_BYTES / page_bytes).max(1) * page_bytes;
        let chunks = bytes.div_ceil(chunk_bytes as u64) as u32;
        to.write_all(&chunks.to_ne_bytes())?;
        let (mut left, mut written) = (bytes, 4);
        let mut plain = vec![0; chunk_bytes];
        while left > 0 {
            let length = left.min(chunk_bytes as u64) as usize;
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
    // Writing to memory cannot fail.
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
            let mut compressed = Vec::new();
            let bytes = pages.len() as u64;
            let written = compression.compress(&mut &pages[..], bytes, 4096, &mut compressed);
            assert_eq!(written.unwrap(), compressed.len() as u64);
            let number =
                |at: usize| u32::from_ne_bytes(compressed[at..at + 4].try_into().unwrap()) as usize;
            let (mut at, mut plain) = (4, Vec::new());
            for _ in 0..number(0) {
                plain.push(number(at + 4));
                at += 8 + number(at);
            }
            assert_eq!(at, compressed.len());
            assert_eq!(plain, [64 * 4096, 64 * 4096, 64 * 4096, 8 * 4096]);
        }
    }
}
