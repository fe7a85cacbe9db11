//! ftrace text, as `/sys/kernel/tracing/trace`, `trace_pipe`, atrace, systrace, traceconv and
//! `trace-cmd report` print it.
//!
//! ```text
//! text ─ segments ─> tokenize ─> batch of events ─> interpret ─> tables      several threads work
//!                       │                                                    up to the batches
//!     prefix, payload, fields, marker, graph, header: the rules for each part of a line
//!     fast: shortcuts for lines that resemble earlier lines
//! ```

mod batch;
mod binder_codes;
mod context;
mod derived;
mod digits;
pub(crate) mod event;
mod fast;
mod fields;
mod fields_option;
mod flags;
mod ftrace_line;
mod graph;
mod header;
mod hitrace;
mod intern;
mod interpret;
mod latency_tracers;
mod line_time;
mod marker;
mod pairs;
mod payload;
mod prefix;
mod reader;
mod segments;
mod swar;
mod syscalls;
mod tokenize;
mod trace_printk;
mod trim_line;
pub(crate) mod write;

use crate::format::{Confidence, Format, ReadOptions, Reader, Writer};
use crate::format_id;

pub(crate) use batch::emptied;
pub use ftrace_line::FtraceLine;
pub(crate) use interpret::Interpreter;
pub(crate) use line_time::{LineTime, MarkEdge, line_time};
pub(crate) use marker::mark;
pub(crate) use payload::state_number;
pub(crate) use trace_printk::printed;

/// ftrace text.
pub(crate) struct FtraceText;

impl Format for FtraceText {
    fn id(&self) -> &'static str {
        format_id::FTRACE
    }

    fn title(&self) -> &'static str {
        "ftrace text (systrace, atrace, trace-cmd report)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        sniff(head)
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(reader::FtraceReader::new(options)))
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::TextWriter)
    }
}

/// Looks for a line that only ftrace text has, or for the header of an empty trace.
fn sniff(head: &[u8]) -> Confidence {
    const LINES: usize = 200;
    let mut confidence = Confidence::No;
    for (number, line) in head.split(|&byte| byte == b'\n').take(LINES).enumerate() {
        let text = line.trim_ascii();
        if tokenize::is_event_line(line) {
            return Confidence::Likely;
        }
        if text.starts_with(b"<!") || text.starts_with(b"<html") {
            return Confidence::No;
        }
        let tracer = text.starts_with(b"# tracer: ") && text.len() > 10;
        // trace-cmd begins with this line. Elsewhere it may be a line of a configuration file.
        let trace_cmd = number == 0 && header::trace_cmd_version(text).is_some();
        if tracer || trace_cmd {
            confidence = Confidence::Maybe;
        }
    }
    confidence
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0";

    #[test]
    fn a_lock_file_with_a_version_is_no_trace() {
        let lock = b"# This file is generated.\nversion = 4\n\n[[package]]\nname = \"a\"\n";
        assert_eq!(sniff(lock), Confidence::No);
    }

    #[test]
    fn its_own_text_is_recognised() {
        for text in [
            format!("{LINE}\n"),
            format!("capturing trace... done\nTRACE:\n# tracer: nop\n#\n{LINE}\n"),
            format!("version = 6\ncpus=2\n{LINE}"),
            " 0)   0.541 us    |    getname();\n".to_owned(),
        ] {
            assert_eq!(sniff(text.as_bytes()), Confidence::Likely, "{text}");
        }
        assert_eq!(sniff(b"# tracer: nop\n#\n"), Confidence::Maybe);
    }

    #[test]
    fn text_of_other_formats_is_not() {
        let header = "# tracer: nop\\n".repeat(20);
        for text in [
            format!("{{\"systemTraceEvents\":\"{header}{LINE}\\n\"}}"),
            format!("<!DOCTYPE html>\n{LINE}\n"),
            "# tracer: \nCGROUP DUMP\n".to_owned(),
            "hello\nworld\n".to_owned(),
        ] {
            assert_eq!(sniff(text.as_bytes()), Confidence::No, "{text}");
        }
    }
}
