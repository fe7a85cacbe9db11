//! Finds the time of a line without parsing its event.

use super::event::{Event, Mark};
use super::fast::prefix;
use super::marker::mark;
use super::trace_printk::{after_caller, is_address};
use super::trim_line::trim_line;
use super::{graph, header};

/// The time information of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineTime {
    /// An event: its time in ns, and the begin or end if it begins or ends a slice.
    At(i64, Option<MarkEdge>),
    /// A point that relates clocks. It does not extend the trace.
    Clock,
    /// An event without its own time: a row of function_graph.
    Untimed,
    /// A line about the trace itself or about the events after it.
    Header,
    /// Anything else: a further line of a text that a program printed.
    Text,
}

/// The begin or end of a slice of this thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkEdge {
    Begin(i32),
    End(i32),
}

/// The time information of a line, which may end in a newline.
pub(crate) fn line_time(line: &[u8]) -> LineTime {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = trim_line(line);
    if let Some(prefix) = prefix(text) {
        return match written_by_program(prefix.rest).map(mark) {
            Some(mark) if mark.is_clock() => LineTime::Clock,
            Some(Mark::Begin { .. }) => LineTime::At(prefix.ts, Some(MarkEdge::Begin(prefix.tid))),
            Some(Mark::End { .. }) => LineTime::At(prefix.ts, Some(MarkEdge::End(prefix.tid))),
            _ => LineTime::At(prefix.ts, None),
        };
    }
    if header::header(text).is_some() {
        return LineTime::Header;
    }
    let Some(record) = graph::row(text) else {
        return LineTime::Text;
    };
    match record.event {
        Event::Graph(row) if row.timed => LineTime::At(record.ts, None),
        Event::Graph(row) if !row.call.is_entry() => LineTime::Header,
        _ => LineTime::Untimed,
    }
}

/// The text that a program wrote to trace_marker, if the event is one.
fn written_by_program(rest: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memchr(b':', rest)?;
    let payload = rest[colon + 1..].trim_ascii_start();
    match &rest[..colon] {
        b"tracing_mark_write" | b"systrace" => Some(payload),
        name if is_address(name) => Some(payload),
        b"print" | b"bputs" | b"bprint" => Some(after_caller(payload).1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line() {
        let at = |ts| LineTime::At(ts, None);
        for (line, expected) in [
            ("# tracer: nop\n", LineTime::Header),
            ("CPU:3 [LOST 17 EVENTS]\r\n", LineTime::Header),
            ("a-1 [000] .... 1.000001: e: x=1\n", at(1_000_001_000)),
            (
                "a-1 [000] .... 1.000001: tracing_mark_write: B|1|x",
                LineTime::At(1_000_001_000, Some(MarkEdge::Begin(1))),
            ),
            (
                "a-1 [000] .... 1.000001: print: 0xffffffff81234567: E|1",
                LineTime::At(1_000_001_000, Some(MarkEdge::End(1))),
            ),
            (
                "a-1 [000] .... 1.000001: tracing_mark_write: trace_event_clock_sync: parent_ts=1.5\n",
                LineTime::Clock,
            ),
            (" 0)   0.541 us    |    getname();\n", LineTime::Untimed),
            (" 0)  bash-12    =>  sshd-99\n", LineTime::Header),
            (" 0)   ==========> |\n", LineTime::Header),
            (
                " 12.345678 |   0)  0.541 us  |  getname();\n",
                at(12_345_678_000),
            ),
            ("the second line of a text\n", LineTime::Text),
        ] {
            assert_eq!(line_time(line.as_bytes()), expected, "{line}");
        }
    }
}
