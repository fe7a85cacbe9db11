//! Sample reports of simpleperf: the output of `simpleperf report-sample --protobuf`.
//!
//! Source: `cmd_report_sample.proto` and `cmd_report_sample.cpp` of simpleperf (AOSP, system/extras).
//!
//! ```text
//! "SIMPLEPERF"  u16 version  { u32 size  message Record }*  u32 0
//! ```
//! Numbers are little-endian. Samples come before the files and threads that they refer to.

mod interpret;
mod records;
#[cfg(test)]
mod tests;

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::whole::whole_reader;

/// A sample report of simpleperf.
pub(crate) struct SimpleperfProto;

impl Format for SimpleperfProto {
    fn id(&self) -> &'static str {
        format_id::SIMPLEPERF_PROTO
    }

    fn title(&self) -> &'static str {
        "sample report of simpleperf (report-sample)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.starts_with(records::MAGIC) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    /// Samples refer to records that come later.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let symbolizer = options.symbolizer.clone();
        Some(whole_reader(move |bytes, out| {
            let out = out.trace(format_id::SIMPLEPERF_PROTO)?;
            out.add_source_bytes(bytes.len() as u64);
            interpret::read(bytes, symbolizer.as_deref(), out);
            Ok(())
        }))
    }
}
