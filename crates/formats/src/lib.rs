//! Readers and writers of Android and Linux traces.
//!
//! Formats are recognised by content, never by name. Containers (gzip, zip, a systrace page …) open
//! what they hold through the same registry, so every format opens in every container.
//!
//! ```
//! use traceloom_formats::{ReadOptions, read_bytes};
//!
//! let text = b"app-7 [000] .... 1.000001: tracing_mark_write: B|7|draw\n\
//!              app-7 [000] .... 1.000002: tracing_mark_write: E|7\n";
//! let trace = read_bytes(text, ReadOptions::default()).unwrap();
//! assert_eq!(trace.slices.len(), 1);
//! ```
//!
//! | for | use |
//! |---|---|
//! | an input in memory | [`read_bytes`], [`read_method_events`] |
//! | a file, pipe or device that comes in chunks | [`AnyReader`] with a [`Target`]; [`wants_whole`] |
//! | writing | [`FORMATS`], [`Format::writer`] |
//! | cutting a text without changing its lines | [`TextSurvey`], then [`TextCopy`] |
//! | kernel events of your own | [`EventRules`] |
//! | watching a stream line by line | [`FtraceLine`] |
//!
//! A new format is a folder that implements [`Format`], an id in `format_id.rs` and a line in `registry.rs`. Inside a
//! folder, the tokenizer turns bytes into events and does not use tables, and the interpreter turns events into calls
//! of the trace builder and does not use bytes.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod archive;
mod atrace;
mod base64;
mod battor;
mod bytes;
#[cfg(test)]
mod capture;
mod chrome_json;
mod collapsed;
mod copy;
mod cpu_profile;
mod deferred;
mod error;
mod firefox;
mod foreign;
mod format;
mod format_id;
mod ftrace;
mod gzip;
mod hex;
mod json;
mod lines;

mod method_trace;
mod omissions;
mod open_slices;
mod parts;
mod perf_data;
mod perf_script;
mod perfetto;
mod pipeline;
mod process_dump;
mod profile;
mod registry;
mod report;
mod ring_buffer;
mod ring_file;
mod rules;
mod simpleperf;
mod strace;
mod symbolizer;
mod systrace_html;
mod tar;
mod trace_dat;
mod unwrap;
mod utf16;
mod whole;
mod zip;
mod zlib;
mod zstd;

pub use copy::{Copied, CopyForm, TextCopy, TextSurvey, WhyNot};
pub use error::{ReadError, WriteError};
pub use format::{
    Confidence, Format, Nesting, PART_BYTES, ReadOptions, Reader, SNIFF_BYTES, Target, TextPart,
    TextParts, WriteOptions, Writer,
};
pub use ftrace::FtraceLine;
pub use method_trace::{ByWidth, MethodRecord, MethodRecords, WidthRecords};
pub use omissions::{Omission, Written};
pub use registry::{AnyReader, FORMATS, detect};
pub use ring_buffer::{EventTally, PageEvents};
pub use rules::{EventRule, EventRules, RuleTrack, RulesError};
pub use symbolizer::{CodeFile, CodePlaces, Symbolizer};
pub use trace_dat::{page_events, tally_trace_dat};

use traceloom_trace::{MethodEvents, Trace, TraceBuilder};

/// Reads a whole input into a trace.
///
/// # Errors
/// If the bytes are not a trace; see [`ReadError`].
pub fn read_bytes(bytes: &[u8], options: ReadOptions) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    push_all(bytes, options, &mut Target::Trace(&mut builder))?;
    Ok(builder.finish())
}

/// Reads a method trace directly into a consumer, without building tables.
///
/// # Errors
/// [`ReadError::NoMethodEvents`] for any other kind of trace; otherwise as [`read_bytes`].
pub fn read_method_events(
    bytes: &[u8],
    options: ReadOptions,
    consumer: &mut dyn MethodEvents,
) -> Result<(), ReadError> {
    push_all(bytes, options, &mut Target::Methods(consumer))
}

/// Whether an input that begins with `head` should be read as a whole ([`Reader::whole`]), because
/// its parts refer to each other.
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

/// The examples of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
