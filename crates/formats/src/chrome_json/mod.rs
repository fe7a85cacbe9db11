//! Chrome's trace events in JSON, as written for `chrome://tracing` by Chromium, Bazel and many
//! build tools, and in blocks of systrace pages.
//!
//! Sources: "Trace Event Format" (a document of the Chromium project), and catapult's importer for
//! the contents of real files. The end of the array of events may be missing, times are
//! microseconds with or without a fraction, and pids and tids may be strings.
//!
//! ```text
//! bytes -> split (events, members) -> event (fields) -> interpret (rows) -> threads, asyncs, flows
//! ```
//! Events may come in any order: an inner slice can come before its outer one. So slices are built
//! after the last event.

mod async_key;
mod asyncs;
mod counters;
mod crossing;
mod event;
mod event_stacks;
mod flows;
mod frames;
mod fuchsia;
mod import_log;
mod interpret;
mod members;
mod origin;
mod parts;
#[cfg(test)]
mod round_trip_tests;
mod rounding;
mod rows;
mod samples;
mod split;
#[cfg(test)]
mod stack_tests;
mod states;
mod stats;
mod tables;
mod tasks;
#[cfg(test)]
mod tests;
mod threads;
mod ties;
mod v8;
mod values;
mod write;
mod zero;

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::foreign::unknown_format;
use crate::format::{Confidence, Format, ReadOptions, Reader, SNIFF_BYTES, Target, Writer};
use crate::format_id;
use interpret::Interpreter;
use split::Splitter;
pub(crate) use values::arg_value;

/// Chrome's trace events.
pub(crate) struct ChromeJson;

impl Format for ChromeJson {
    fn id(&self) -> &'static str {
        format_id::CHROME_JSON
    }

    fn title(&self) -> &'static str {
        "Chrome trace events (JSON)"
    }

    /// Other members of several megabytes may come before the events, so any large object may be a trace.
    fn sniff(&self, head: &[u8]) -> Confidence {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        let goes_on = head.len() >= SNIFF_BYTES;
        let head = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        let inside = head.get(1..).unwrap_or(b"");
        // Lists may contain lists, and some writers begin them with a comma.
        let inside = inside
            .iter()
            .position(|byte| !byte.is_ascii_whitespace() && !b"[,".contains(byte));
        let inside = inside.and_then(|at| head.get(1 + at));
        match (head.first(), inside) {
            (Some(b'{'), Some(b'"')) if has(b"\"traceEvents\"") => Confidence::Certain,
            (Some(b'{'), Some(b'"')) if has(b"\"systemTraceEvents\"") => Confidence::Likely,
            (Some(b'{'), Some(b'"')) if has(b"\"controllerTraceDataKey\"") => Confidence::Likely,
            // Events, one on each line.
            (Some(b'{'), Some(b'"')) if has(b"\"ph\"") && has(b"\"ts\"") => Confidence::Likely,
            (Some(b'{'), Some(b'"')) if goes_on => Confidence::Maybe,
            (Some(b'['), Some(b'{')) if has(b"\"ph\"") => Confidence::Certain,
            // The first event may be larger than `head`.
            (Some(b'['), Some(b'{')) if goes_on => Confidence::Maybe,
            _ => Confidence::No,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(JsonReader {
            splitter: Splitter::new(),
            interpreter: Interpreter::new(options),
            head: Vec::new(),
            offset: 0,
        }))
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::JsonWriter)
    }
}

struct JsonReader {
    splitter: Splitter,
    interpreter: Interpreter,
    /// The first bytes, for the error message.
    head: Vec<u8>,
    offset: u64,
}

impl JsonReader {
    /// Whether the file is an array of something other than events.
    fn is_foreign(&self) -> bool {
        let is_long = self.offset >= SNIFF_BYTES as u64;
        self.splitter.is_array()
            && match self.interpreter.phases {
                [0, 0] => is_long,
                [with_phase, _] => with_phase == 0,
            }
    }
}

impl Reader for JsonReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        // Enough bytes to recognise JSON files of other tools.
        const HEAD: usize = 4 << 10;
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&chunk[..chunk.len().min(room)]);
        out.trace(format_id::CHROME_JSON)?
            .add_source_bytes(chunk.len() as u64);
        let (interpreter, offset) = (&mut self.interpreter, self.offset);
        self.splitter
            .feed(chunk, |part| interpreter.part(part, offset, out))?;
        self.offset += chunk.len() as u64;
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let (interpreter, offset) = (&mut self.interpreter, self.offset);
        self.splitter
            .finish(|part| interpreter.part(part, offset, out))?;
        let is_trace = self.splitter.found_events && !self.is_foreign();
        if !is_trace && !self.interpreter.read_inner {
            return Err(unknown_format(&self.head));
        }
        let torn = match (self.splitter.is_torn(), self.splitter.lacks_its_end()) {
            (true, _) => Some("the file ends inside an event"),
            (_, true) => Some("the file ends before the end of its list"),
            _ => None,
        };
        if let Some(torn) = torn {
            let place = Place::at_offset(self.offset);
            out.repair(RepairKind::TornRecord, 1, place, || torn.to_owned());
        }
        self.interpreter.finish(out)
    }
}
