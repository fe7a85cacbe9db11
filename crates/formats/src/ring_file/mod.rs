//! The ring file: the recording of traceloom's library in an app. The recording may have been
//! stopped, or the app may have been killed.
//!
//! [`traceloom_ring`] decodes the bytes and merges the records of all threads by time. Text that
//! programs wrote to `trace_marker` is stored unchanged and interpreted like the same marks in
//! ftrace text.

mod calls;
mod facts;
mod interpret;
mod names;
mod write;

#[cfg(test)]
mod tests;

use traceloom_ring::{OpenError, Recording};
use traceloom_trace::{Place, TraceBuilder};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Writer};
use crate::format_id;
use crate::whole::whole_reader;

/// The ring file.
pub(crate) struct RingFile;

impl Format for RingFile {
    fn id(&self) -> &'static str {
        format_id::RING
    }

    fn title(&self) -> &'static str {
        "ring file of the recorder in an app"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.starts_with(traceloom_ring::layout::MAGIC) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    /// The chunks of a thread may be anywhere in the file.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(whole_reader(|bytes, out| {
            let out = out.trace(format_id::RING)?;
            out.add_source_bytes(bytes.len() as u64);
            read(bytes, out)
        }))
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::RingWriter)
    }
}

fn read(bytes: &[u8], out: &mut TraceBuilder) -> Result<(), ReadError> {
    let recording = Recording::open(bytes).map_err(refusal)?;
    facts::report(&recording, out);
    let mut interpreter = interpret::RingInterpreter::new(&recording, bytes.len());
    let mut events = recording.events();
    for event in events.by_ref() {
        interpreter.event(&event, out);
    }
    interpreter.finish(out);
    facts::report_faults(&recording, &events, out);
    Ok(())
}

fn refusal(error: OpenError) -> ReadError {
    let field = |field, found: String, expected, at: usize| ReadError::Field {
        format: format_id::RING,
        field,
        found,
        expected,
        place: Place::at_offset(at as u64),
    };
    match error {
        OpenError::Short(bytes) => ReadError::Truncated {
            format: format_id::RING,
            inside: "the header",
            offset: bytes as u64,
        },
        OpenError::Version(version) => field("version", version.to_string(), "1 or 2", 8),
        OpenError::Field {
            field: name,
            at,
            found,
            expected,
        } => field(name, found.to_string(), expected, at),
        other => field("magic", other.to_string(), "TLRING", 0),
    }
}
