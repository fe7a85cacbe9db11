//! Looks at the entries of an archive before any is read: finds the manifest, and the order of reading.

use std::io::Read;

use flate2::read::GzDecoder;

use super::manifest::{HEAD_BYTES, MOST_BYTES, Manifest, refuse};
use crate::error::ReadError;
use crate::format::{Confidence, Format};
use crate::perfetto::Perfetto;

/// The beginning of a file compressed with gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// The beginnings of archives and of compressed files: gzip, zip, Zstandard.
const PACKED: &[&[u8]] = &[b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"];

/// A manifest in an archive.
pub(crate) struct Found {
    /// Its index among the entries.
    pub at: usize,
    pub(super) name: String,
    /// Its size, bytes.
    pub(super) bytes: u64,
    pub(super) manifest: Manifest,
    is_packed: bool,
}

/// The classes of entries, in the order in which they are read: Perfetto traces first, because they may have the clocks
/// of the others. Symbols come last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Perfetto,
    Packed,
    Other,
    Symbols,
}

impl Rank {
    fn of(head: &[u8]) -> Self {
        if PACKED.iter().any(|start| head.starts_with(start)) {
            Self::Packed
        } else if crate::perfetto::begins_with_symbols(head) {
            Self::Symbols
        } else if Perfetto.sniff(head) > Confidence::No {
            Self::Perfetto
        } else {
            Self::Other
        }
    }
}

/// Looks at each entry before any is read.
#[derive(Default)]
pub(crate) struct Sift {
    manifest: Option<Found>,
    packed: Vec<String>,
    ranks: Vec<(Rank, String, usize)>,
}

impl Sift {
    /// Looks at an entry. `bytes` returns the first bytes of the entry, up to the given number.
    ///
    /// # Errors
    /// [`ReadError::Manifest`] if the entry is an invalid manifest, or a second one.
    pub fn look(
        &mut self,
        index: usize,
        name: &str,
        mut bytes: impl FnMut(u64) -> Vec<u8>,
    ) -> Result<(), ReadError> {
        let head = bytes(HEAD_BYTES);
        let rank = Rank::of(&head);
        self.ranks.push((rank, name.to_owned(), index));
        if rank == Rank::Packed {
            self.packed.push(name.to_owned());
        }
        let is_packed = head.starts_with(GZIP);
        let head = if is_packed {
            unpacked(&head, HEAD_BYTES)
        } else {
            head
        };
        if !Manifest::begins(&head) {
            return Ok(());
        }
        if self.manifest.is_some() {
            return Err(refuse("the archive has several manifests".to_owned()));
        }
        let text = bytes(MOST_BYTES + 1);
        let text = if is_packed {
            unpacked(&text, MOST_BYTES + 1)
        } else {
            text
        };
        if text.len() as u64 > MOST_BYTES {
            return Err(refuse(format!("{name:?} has more than {MOST_BYTES} bytes")));
        }
        self.manifest = Some(Found {
            at: index,
            name: name.to_owned(),
            bytes: text.len() as u64,
            manifest: Manifest::parse(&text)?,
            is_packed,
        });
        Ok(())
    }

    /// The indexes of the entries in the order of reading: by rank, then by name, as in Perfetto.
    pub fn order(&self) -> Vec<usize> {
        let mut ranks: Vec<_> = self.ranks.iter().collect();
        ranks.sort();
        ranks.into_iter().map(|(.., index)| *index).collect()
    }

    /// The manifest.
    ///
    /// # Errors
    /// [`ReadError::Manifest`] if it describes an archive inside the archive, or is compressed and therefore comes
    /// after a Perfetto trace.
    pub fn found(self) -> Result<Option<Found>, ReadError> {
        let Some(found) = self.manifest else {
            return Ok(None);
        };
        let has_perfetto = self.ranks.iter().any(|(rank, ..)| *rank == Rank::Perfetto);
        if found.is_packed && has_perfetto {
            return Err(refuse(format!(
                "{:?} is compressed, so the Perfetto trace comes first; a manifest must be the first file",
                found.name
            )));
        }
        let of = |name: &String| {
            found
                .manifest
                .file(name)
                .is_some_and(|file| file.overrides())
        };
        match self.packed.iter().find(|name| of(name)) {
            Some(name) => Err(refuse(format!(
                "{name:?} is an archive; it can say something about traces only"
            ))),
            None => Ok(Some(found)),
        }
    }
}

/// The beginning of a compressed file, up to `most` bytes. Stops where the file is damaged or cut off.
fn unpacked(bytes: &[u8], most: u64) -> Vec<u8> {
    let mut text = Vec::new();
    // What could be read before an error is kept.
    let _ = GzDecoder::new(bytes).take(most).read_to_end(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn sift(entries: &[(&str, &[u8])]) -> Sift {
        let mut sift = Sift::default();
        for (at, (name, bytes)) in entries.iter().enumerate() {
            let head = |most: u64| bytes.iter().copied().take(most as usize).collect();
            sift.look(at, name, head).unwrap();
        }
        sift
    }

    const PERFETTO: &[u8] = b"\x0a\x02\x40\x01";
    const SYMBOLS: &[u8] = b"\x0a\x05\xea\x03\x02\x0a\x00";

    #[test]
    fn perfetto_traces_are_read_first_and_symbols_last() {
        let packed = gzip("text");
        let entries: [(&str, &[u8]); 6] = [
            ("a.symbols", SYMBOLS),
            ("c.txt", b"text"),
            ("b.txt", b"text"),
            ("d.gz", &packed),
            ("z.pb", PERFETTO),
            ("y.pb", PERFETTO),
        ];
        assert_eq!(sift(&entries).order(), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_compressed_manifest_must_not_come_after_a_perfetto_trace() {
        let manifest = gzip(r#"{"perfetto_manifest": {"version": 1}}"#);
        let alone: [(&str, &[u8]); 2] = [("m.gz", &manifest), ("a.txt", b"text")];
        assert_eq!(sift(&alone).found().unwrap().unwrap().at, 0);
        let behind: [(&str, &[u8]); 2] = [("m.gz", &manifest), ("a.pb", PERFETTO)];
        assert!(sift(&behind).found().is_err());
    }
}
