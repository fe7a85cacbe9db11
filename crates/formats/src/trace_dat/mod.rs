//! trace-cmd's files: `trace.dat`, versions 6 and 7.
//!
//! ```text
//! version 6                                  version 7
//! magic, "6", byte order, long, page size    the same with "7", compression, place of the options
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
mod read;
mod sections;
mod v6;
mod v7;

pub use read::{page_events, tally_trace_dat};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;

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

    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(DatReader {
            options: options.clone(),
            bytes: Vec::new(),
        }))
    }
}

/// The parts of a file refer to each other, so the whole file is kept until its end unless it is
/// read as a whole.
struct DatReader {
    options: ReadOptions,
    bytes: Vec<u8>,
}

impl Reader for DatReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        out.trace(format_id::TRACE_DAT)?;
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let bytes = std::mem::take(&mut self.bytes);
        self.whole(&bytes, out)
    }

    fn whole(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        read::read(bytes, &self.options, out.trace(format_id::TRACE_DAT)?)
    }
}
