//! trace.dat: what trace-cmd, KernelShark and traceloom open.
//!
//! ```text
//! version 6, which all of them read              version 7: smaller, since trace-cmd 3.0
//! 17 08 44 "tracing" "6\0" endian long page      the same with "7\0", then the compression's name
//! "header_page\0"  size text                     and version, and where the options are
//! "header_event\0" size text                     sections: number flags 0 length content
//! count (size text)…                             - HEADER_INFO: header_page, header_event
//! count (name count (size text)…)…               - formats of ftrace's events, of all events
//! size kallsyms                                  - kallsyms, printk_formats, saved_cmdlines
//! size printk_formats                            - the options: where those are; what version 6
//! size saved_cmdlines                              has too; the CPUs of the buffer; the end
//! CPUs                                           - the buffer: pages of CPU 0 … CPU n
//! "options  \0" (id size data)… 0
//! "flyrecord\0" (offset size)…                   a packed section: packed size, size, bytes;
//! pages of CPU 0 … pages of CPU n                packed pages: number of chunks, chunks like that
//! ```
//!
//! Plain pages stand at multiples of their size. The order and the sizes of the fields are those of
//! trace-cmd's manual pages `trace-cmd.dat.v6` and `trace-cmd.dat.v7`.

mod bytes;
mod formats;
mod pack;
mod parts;
mod symbols;
mod v6;
mod v7;

use crate::{Error, Instance};
pub(crate) use formats::PageLayout;
pub use pack::DatCompression;
use parts::Parts;

/// Which version of `trace.dat` is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DatVersion {
    /// Version 6, which every reader knows.
    #[default]
    Six,
    /// Version 7, compressed or not.
    Seven(DatCompression),
}

impl DatVersion {
    /// The version that was asked for, by number and by compression, which only version 7 has.
    ///
    /// # Errors
    /// What does not go together, for people.
    pub fn chosen(version: Option<&str>, compression: Option<&str>) -> Result<Self, String> {
        let packed = match compression {
            Some(name) => DatCompression::named(name).map_err(|known| {
                format!("no compression of trace.dat is called {name}; there is {known}")
            })?,
            None => DatCompression::None,
        };
        match version {
            Some("7") => Ok(Self::Seven(packed)),
            None if compression.is_some() => Ok(Self::Seven(packed)),
            Some("6") | None if packed == DatCompression::None => Ok(Self::Six),
            Some("6") | None => Err("version 6 of trace.dat has no compression; 7 has".to_owned()),
            Some(other) => Err(format!("there is no version {other} of trace.dat: 6 or 7")),
        }
    }

    /// How pages are packed.
    pub(crate) fn compression(self) -> DatCompression {
        match self {
            Self::Six => DatCompression::None,
            Self::Seven(compression) => compression,
        }
    }

    /// The bytes before what the first CPU has, for CPUs with so many bytes each. What belongs to no
    /// CPU is taken from the tree as it is now: the events must still be on.
    ///
    /// # Errors
    /// If the kernel's descriptions cannot be read.
    pub(crate) fn head(
        self,
        instance: &Instance<'_>,
        layout: &PageLayout,
        cpu_bytes: &[u64],
    ) -> Result<Vec<u8>, Error> {
        let parts = Parts::read(instance, layout, cpu_bytes.len())?;
        Ok(match self {
            Self::Six => v6::head(&parts, layout, cpu_bytes),
            Self::Seven(compression) => v7::head(&parts, layout, compression, cpu_bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::DatCompression::{None as Plain, Zlib, Zstd};
    use super::DatVersion::{self, Seven, Six};

    #[test]
    fn a_compression_means_version_7() {
        let chosen = |version, compression| DatVersion::chosen(version, compression);
        assert_eq!(chosen(None, None), Ok(Six));
        assert_eq!(chosen(Some("6"), Some("none")), Ok(Six));
        assert_eq!(chosen(Some("7"), None), Ok(Seven(Plain)));
        assert_eq!(chosen(None, Some("zlib")), Ok(Seven(Zlib)));
        assert_eq!(chosen(Some("7"), Some("zstd")), Ok(Seven(Zstd)));
        assert!(chosen(Some("6"), Some("zlib")).is_err());
        assert!(chosen(Some("8"), None).is_err() && chosen(None, Some("lz4")).is_err());
    }
}
