//! The bytes of a trace file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;

/// Below this size reading is cheaper than mapping, and cannot fault if the file shrinks: bytes.
const MAP_FROM: u64 = 128 << 10;

/// A trace file's bytes: read, or mapped if it is big.
pub(super) enum Source {
    Read(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl Source {
    /// Opens `path`; also pipes, which the original refuses. `None` if it cannot be read.
    pub fn open(path: &OsStr) -> Option<Source> {
        let mut file = File::open(path).ok()?;
        let meta = file.metadata().ok()?;
        if meta.is_file() && meta.len() >= MAP_FROM {
            // SAFETY: the mapping is private and only read. A file cut short meanwhile raises
            // SIGBUS, which ends this program as it would any reader of a mapping; nothing else
            // in the process depends on it.
            if let Ok(map) = unsafe { memmap2::MmapOptions::new().map(&file) } {
                return Some(Source::Mapped(map));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(Source::Read(bytes))
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Source::Read(bytes) => bytes,
            Source::Mapped(map) => map,
        }
    }
}
