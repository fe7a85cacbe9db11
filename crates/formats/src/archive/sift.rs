//! Finds the manifest among the entries of an archive.

use super::manifest::{HEAD_BYTES, MOST_BYTES, Manifest, refuse};
use crate::error::ReadError;

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
}

/// Looks at each entry before any is read.
#[derive(Default)]
pub(crate) struct Sift {
    manifest: Option<Found>,
    packed: Vec<String>,
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
        if PACKED.iter().any(|start| head.starts_with(start)) {
            self.packed.push(name.to_owned());
        }
        if !Manifest::begins(&head) {
            return Ok(());
        }
        if self.manifest.is_some() {
            return Err(refuse("the archive has several manifests".to_owned()));
        }
        let text = bytes(MOST_BYTES + 1);
        if text.len() as u64 > MOST_BYTES {
            return Err(refuse(format!("{name:?} has more than {MOST_BYTES} bytes")));
        }
        self.manifest = Some(Found {
            at: index,
            name: name.to_owned(),
            bytes: text.len() as u64,
            manifest: Manifest::parse(&text)?,
        });
        Ok(())
    }

    /// The manifest.
    ///
    /// # Errors
    /// [`ReadError::Manifest`] if it describes an archive inside the archive.
    pub fn found(self) -> Result<Option<Found>, ReadError> {
        let Some(found) = self.manifest else {
            return Ok(None);
        };
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
