//! trace-cmd's files: `trace.dat`, versions 6 and 7.
//!
//! ```text
//! version 6                                  version 7
//! magic, "6", byte order, long, page size    the same with "7", compression, position of the options
//! header_page, header_event                  sections in any order: id, flags, name, size, content
//! formats of ftrace's own events             (each may be compressed)
//! formats of the kernel's events             options: where the other sections are, where the
//! kallsyms, printk formats, cmdlines         next options are, and each buffer's CPUs with their
//! number of CPUs, options                    pages (compressed in chunks)
//! place and length of each CPU's pages
//! ```
//! Sources: trace-cmd's documentation (`trace-cmd.dat.v6.5.txt`, `trace-cmd.dat.v7.5.txt`) and, for
//! details it omits, `lib/trace-cmd/trace-input.c`. The parts of version 6 and the sections of
//! version 7 have the same contents. Pages are those of [`ring_buffer`](crate::ring_buffer).

mod collect;
mod compression;
mod facts;
mod head;
mod input;
mod options;
mod parts;
mod perf;
mod read;
mod sections;
mod v6;
mod v7;

pub(crate) use perf::perf_formats;
pub use read::{page_events, tally_trace_dat};

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::whole::whole_reader;

/// `trace.dat`.
pub(crate) struct TraceDat;

impl Format for TraceDat {
    fn id(&self) -> &'static str {
        format_id::TRACE_DAT
    }

    fn title(&self) -> &'static str {
        "trace.dat (trace-cmd)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.starts_with(head::MAGIC) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    /// The parts of a file refer to each other.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let options = options.clone();
        Some(whole_reader(move |bytes, out| {
            read::read(bytes, &options, out.trace(format_id::TRACE_DAT)?)
        }))
    }
}
