//! Facts about the trace, as lines of the header.

use traceloom_trace::Trace;

use crate::ftrace::event::Header;
use crate::ftrace::header::header;

/// The facts in the usual lines of the header, and the facts that count the lines.
const IN_HEADER: &[&str] = &[
    "tracer",
    "cpus",
    "entries-in-buffer",
    "entries-written",
    "event-lines",
    "events",
];

/// Whether a line of the header contains this fact.
pub(super) fn is_written(trace: &Trace, row: usize) -> bool {
    let key = trace.strings.get(trace.metadata.key.get(row));
    IN_HEADER.contains(&key) || line(trace, row).is_some()
}

/// The line of a fact that needs its own line and that reads back as the same fact.
pub(super) fn line(trace: &Trace, row: usize) -> Option<String> {
    let fact = trace.metadata.row(row);
    let [key, value] = [fact.key, fact.value].map(|text| trace.strings.get(text));
    if IN_HEADER.contains(&key) || value.contains(['\n', '\r', '\0']) {
        return None;
    }
    let line = format!("# {key}: {value}");
    let read = Header::Fact {
        key: key.as_bytes(),
        value: value.as_bytes(),
    };
    (header(line.as_bytes()) == Some(read)).then_some(line)
}
