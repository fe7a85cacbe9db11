//! The file format `trace.dat`, which trace-cmd, KernelShark and traceloom open.
//!
//! ```text
//! version 6, which all readers support           version 7: compressed, since trace-cmd 3.0
//! 17 08 44 "tracing" "6\0" endian long page      the same with "7\0", then name and version of the
//! "header_page\0"  size text                     compression, offset of the options
//! "header_event\0" size text                     sections: number flags 0 length content
//! count (size text)…                             - HEADER_INFO: header_page, header_event
//! count (name count (size text)…)…               - formats of ftrace's events, of all events
//! size kallsyms                                  - kallsyms, printk_formats, saved_cmdlines
//! size printk_formats                            - options: offsets of the sections, those of
//! size saved_cmdlines                              version 6, the CPUs of the buffer, the end
//! CPUs                                           - the buffer: pages of CPU 0 … CPU n
//! "options  \0" (id size data)… 0
//! "flyrecord\0" (offset size)…                   compressed section: compressed size, size, bytes
//! pages of CPU 0 … pages of CPU n                compressed pages: number of chunks, such chunks
//! ```
//!
//! Uncompressed pages are aligned to their size. Source: trace-cmd's manual pages `trace-cmd.dat.v6` and
//! `trace-cmd.dat.v7`.

mod compression;
mod event_formats;
mod head;
mod metadata;
mod symbols;
mod v6;
mod v7;
mod version;
mod writer;

pub use compression::DatCompression;
pub(crate) use event_formats::PageLayout;
pub use head::DatHead;
pub use version::DatVersion;
pub(crate) use version::headers;
