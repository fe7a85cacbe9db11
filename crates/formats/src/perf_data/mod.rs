//! `perf.data`: recordings of Linux perf, and of simpleperf, Android's profiler.
//!
//! ```text
//! file     header  attributes and ids of events  records  features (names, build ids, symbols …)
//! stream   header of 16 bytes  records, which also hold the attributes and features
//! ```
//! Sources: `include/uapi/linux/perf_event.h` of Linux, `perf.data-file-format.txt` and `util/header.c` of perf,
//! `record.h` and `record_file_format.h` of simpleperf. The tables are filled as Perfetto's importer of perf.data does.
//!
//! The crate linux-perf-data 0.13 is not used. It decompresses records with the C library zstd, and depends on prost
//! and three other crates. It allocates as many bytes as a section claims to have, without checking the size of the
//! file, so a file of 120 bytes can make it panic.

mod attr;
mod counters;
mod events;
mod facts;
mod features;
mod head;
mod interpret;
mod maps;
mod order;
mod records;
mod sample;
mod stacks;
mod stats;
mod survey;
mod symbols;
mod tally;
mod tasks;
#[cfg(test)]
mod tests;
mod tracepoints;
mod unpack;

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::whole::whole_reader;

/// Whether an input begins like a file of perf.
pub(crate) fn begins_perf(head: &[u8]) -> bool {
    head.starts_with(head::LITTLE) || head.starts_with(head::BIG)
}

/// `perf.data`.
pub(crate) struct PerfData;

impl Format for PerfData {
    fn id(&self) -> &'static str {
        format_id::PERF_DATA
    }

    fn title(&self) -> &'static str {
        "perf.data (perf, simpleperf)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if begins_perf(head) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    /// The symbols are at the end of the file, after the samples whose functions they name.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let options = options.clone();
        Some(whole_reader(move |bytes, out| {
            interpret::read(bytes, &options, out.trace(format_id::PERF_DATA)?)
        }))
    }
}
