//! Readers and writers of Android and Linux traces: one folder a format, one registry.
//!
//! Formats are told apart by content. Containers (gzip, zip, a systrace page …) unwrap to the
//! registry again, so every format opens in every container.
//!
//! ```no_run
//! use traceloom_formats::{ReadOptions, read_bytes};
//!
//! let bytes = std::fs::read("app.trace").unwrap();
//! let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
//! println!("{} slices", trace.slices.len());
//! ```

mod atrace;
mod base64;
mod battor;
#[cfg(test)]
mod capture;
mod chrome_json;
mod collapsed;
mod error;
mod format;
mod ftrace;
mod gzip;
mod late;
mod left_out;
mod method_trace;
mod process_dump;
mod registry;
mod report;
pub mod ring_buffer;
mod ring_file;
mod rules;
mod systrace_html;
mod trace_dat;
mod unwrap;
mod zip;
mod zlib;
mod zstd;

pub use error::{ReadError, WriteError};
pub use format::{
    Confidence, Format, PART_BYTES, ReadOptions, Reader, SNIFF_BYTES, Target, WriteOptions, Writer,
};
pub use ftrace::FtraceLine;
pub use left_out::{LeftOut, Written};
pub use method_trace::{MethodRecord, MethodRecords};
pub use registry::{AnyReader, FORMATS, detect};
pub use report::{REPORT_META, report_data, report_engine};
pub use rules::{EventRule, EventRules, RuleTrack, RulesError};
pub use trace_dat::tally_trace_dat;

use traceloom_trace::{MethodEvents, Trace, TraceBuilder};

/// Reads a whole input into a trace.
///
/// # Errors
/// If the bytes are no trace; see [`ReadError`].
pub fn read_bytes(bytes: &[u8], options: ReadOptions) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    push_all(bytes, options, &mut Target::Trace(&mut builder))?;
    Ok(builder.finish())
}

/// Reads a method trace straight into a consumer, without tables.
///
/// # Errors
/// [`ReadError::NoMethodEvents`] for any other kind of trace; else as [`read_bytes`].
pub fn read_method_events(
    bytes: &[u8],
    options: ReadOptions,
    consumer: &mut dyn MethodEvents,
) -> Result<(), ReadError> {
    push_all(bytes, options, &mut Target::Methods(consumer))
}

/// Whether an input that begins with `head` is best read as a whole ([`Reader::whole`]), because
/// its parts point to each other.
pub fn wants_whole(head: &[u8]) -> bool {
    let head = &head[..head.len().min(SNIFF_BYTES)];
    detect(head).is_some_and(Format::wants_whole)
}

fn push_all(bytes: &[u8], options: ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
    const CHUNK: usize = 16 << 20;
    let mut reader = AnyReader::new(options);
    if wants_whole(bytes) {
        return reader.whole(bytes, out);
    }
    for chunk in bytes.chunks(CHUNK) {
        reader.feed(chunk, out)?;
    }
    reader.finish(out)
}
