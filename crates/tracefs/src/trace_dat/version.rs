//! The versions of the file format.

use super::compression::DatCompression;
use super::event_formats::PageLayout;
use super::metadata::Metadata;
use super::{v6, v7};
use crate::{Error, Instance};

/// The version of a `trace.dat`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DatVersion {
    /// Version 6, which all readers support.
    #[default]
    Six,
    /// Version 7, optionally compressed.
    Seven(DatCompression),
}

impl DatVersion {
    /// Chooses the version for a version number and a compression, which only version 7 has.
    ///
    /// # Errors
    /// A message for the user if an option is invalid or they contradict each other.
    pub fn from_options(version: Option<&str>, compression: Option<&str>) -> Result<Self, String> {
        let chosen = match compression {
            Some(name) => DatCompression::from_name(name).ok_or_else(|| {
                format!("trace.dat has no compression {name}: use none, zlib or zstd")
            })?,
            None => DatCompression::None,
        };
        match version {
            Some("7") => Ok(Self::Seven(chosen)),
            None if compression.is_some() => Ok(Self::Seven(chosen)),
            Some("6") | None if chosen == DatCompression::None => Ok(Self::Six),
            Some("6") | None => {
                Err("trace.dat version 6 has no compression: use version 7".to_owned())
            }
            Some(other) => Err(format!("there is no trace.dat version {other}: use 6 or 7")),
        }
    }

    /// The compression of pages.
    pub(crate) fn compression(self) -> DatCompression {
        match self {
            Self::Six => DatCompression::None,
            Self::Seven(compression) => compression,
        }
    }

    /// The bytes before the data of the first CPU. `cpu_bytes` has the size of each CPU's data. The
    /// metadata is read now, so the events must still be enabled.
    ///
    /// # Errors
    /// If the kernel's metadata cannot be read.
    pub(crate) fn header(
        self,
        instance: &Instance<'_>,
        layout: &PageLayout,
        cpu_bytes: &[u64],
    ) -> Result<Vec<u8>, Error> {
        let metadata = Metadata::read(instance, layout)?;
        Ok(match self {
            Self::Six => v6::header(&metadata, layout, cpu_bytes),
            Self::Seven(compression) => v7::header(&metadata, layout, compression, cpu_bytes),
        })
    }
}

/// The parts of a file of version 6 with several buffers: the start, which precedes the pages of the
/// first CPU, and what precedes the pages of each of the other buffers. `others` has their names, and the
/// size of each CPU's pages.
///
/// # Errors
/// If the kernel's metadata cannot be read.
pub(crate) fn headers(
    instance: &Instance<'_>,
    others: &[(String, &Instance<'_>)],
    layout: &PageLayout,
    cpu_bytes: &[u64],
    other_bytes: Vec<Vec<u64>>,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut metadata = Metadata::read(instance, layout)?;
    metadata.add_buffers(instance, others);
    let names = others.iter().map(|(name, _)| name.clone());
    let others: Vec<_> = names.zip(other_bytes).collect();
    Ok(v6::headers(&metadata, layout, cpu_bytes, &others))
}

#[cfg(test)]
mod tests {
    use super::DatCompression::{None as Plain, Zlib, Zstd};
    use super::DatVersion::{self, Seven, Six};

    #[test]
    fn a_compression_implies_version_7() {
        let chosen = |version, compression| DatVersion::from_options(version, compression);
        assert_eq!(chosen(None, None), Ok(Six));
        assert_eq!(chosen(Some("6"), Some("none")), Ok(Six));
        assert_eq!(chosen(Some("7"), None), Ok(Seven(Plain)));
        assert_eq!(chosen(None, Some("zlib")), Ok(Seven(Zlib)));
        assert_eq!(chosen(Some("7"), Some("zstd")), Ok(Seven(Zstd)));
        assert!(chosen(Some("6"), Some("zlib")).is_err());
        assert!(chosen(Some("8"), None).is_err() && chosen(None, Some("lz4")).is_err());
    }
}
