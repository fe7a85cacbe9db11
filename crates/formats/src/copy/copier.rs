//! The second pass: writes the lines of a range.

use std::io::Write;

use traceloom_trace::RepairKind;

use super::edges::Edges;
use super::output::{CopyForm, Output};
use crate::error::WriteError;
use crate::format::{TextPart, TextParts};
use crate::ftrace::{LineTime, line_time};
use crate::lines::Lines;
use crate::omissions::{Omission, Written};

/// Copies the events in a range. Lines that are not events, and lines that relate clocks, are
/// always copied, except that text between two events is treated like one of them.
///
/// ```text
/// # tracer: nop                         kept
/// a-1 [000] .... 1.0: e: x=1            before the range: gone
/// ##### CPU 1 buffer started ####       goes with the event after it
/// a-1 [001] .... 2.0: print: two        in the range: kept
/// lines                                 goes with the event before it
/// ```
pub struct TextCopy<'o> {
    out: Output<'o>,
    range: Option<(i64, i64)>,
    part: TextPart,
    lines: Lines,
    cutter: Cutter,
    /// Process dumps. In a text they come after the events.
    dumps: Vec<u8>,
    repairs: Vec<RepairKind>,
}

/// The result of copying a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    /// What the new file does not contain.
    pub written: Written,
    /// Slices of threads that are partly in the range and begin or end outside it.
    pub cut_slices: u64,
}

impl<'o> TextCopy<'o> {
    /// Copies the lines of `range` (from, until) ns, or all lines.
    pub fn new(form: CopyForm, range: Option<(i64, i64)>, out: &'o mut dyn Write) -> Self {
        Self {
            out: Output::new(form, out),
            range,
            part: TextPart::Events,
            lines: Lines::default(),
            cutter: Cutter::default(),
            dumps: Vec::new(),
            repairs: Vec::new(),
        }
    }

    /// Finishes the copy after the end of the input.
    ///
    /// # Errors
    /// If writing failed, or no event is in the range.
    pub fn finish(mut self) -> Result<Copied, WriteError> {
        self.end_part();
        if self.range.is_some() && self.cutter.copied == 0 {
            return Err(WriteError::EmptyRange);
        }
        if !self.dumps.is_empty() {
            self.out.end_block();
            self.out.write(&self.dumps);
        }
        self.out.finish()?;
        let mut written = Written::default();
        written.add(Omission::Repairs, self.repairs.len() as u64);
        Ok(Copied {
            written,
            cut_slices: self.cutter.edges.cut(),
        })
    }

    fn end_part(&mut self) {
        if let Some(range) = self.range {
            let (cutter, out) = (&mut self.cutter, &mut self.out);
            self.lines.finish(|line| cutter.line(line, range, out));
            cutter.end(out);
        }
    }
}

impl TextParts for TextCopy<'_> {
    fn begin_source(&mut self) {}

    fn begin_part(&mut self, part: TextPart) {
        self.end_part();
        self.part = part;
        self.out.end_block();
        if self.dumps.last().is_some_and(|last| *last != b'\n') {
            self.dumps.push(b'\n');
        }
    }

    fn text(&mut self, bytes: &[u8]) {
        let is_events = self.part == TextPart::Events;
        match self.range {
            Some(range) if is_events => {
                let (cutter, out) = (&mut self.cutter, &mut self.out);
                self.lines.feed(bytes, |line| cutter.line(line, range, out));
            }
            _ if is_events || self.out.has_blocks() => self.out.write(bytes),
            _ => self.dumps.extend_from_slice(bytes),
        }
    }

    fn other(&mut self) {}

    fn repair(&mut self, kind: RepairKind) {
        if !self.repairs.contains(&kind) {
            self.repairs.push(kind);
        }
    }
}

/// Decides which lines are in the range.
#[derive(Default)]
struct Cutter {
    /// Lines that go with the next event.
    waiting: Vec<u8>,
    /// Whether the last event is in the range; `None` before the first event.
    last: Option<bool>,
    copied: u64,
    edges: Edges,
}

impl Cutter {
    fn line(&mut self, line: &[u8], range: (i64, i64), out: &mut Output<'_>) {
        match line_time(line) {
            LineTime::At(ts, edge) => {
                let inside = range.0 <= ts && ts < range.1;
                if let Some(edge) = edge {
                    self.edges.see(edge, ts, range);
                }
                self.event(line, inside, out);
            }
            LineTime::Clock => {
                out.write(&std::mem::take(&mut self.waiting));
                out.write(line);
            }
            // Nothing came before.
            _ if self.last.is_none() => out.write(line),
            LineTime::Text | LineTime::Untimed if self.waiting.is_empty() => {
                if self.last == Some(true) {
                    out.write(line);
                }
            }
            _ => self.waiting.extend_from_slice(line),
        }
    }

    fn event(&mut self, line: &[u8], inside: bool, out: &mut Output<'_>) {
        if inside {
            out.write(&self.waiting);
            out.write(line);
            self.copied += 1;
        }
        self.waiting.clear();
        self.last = Some(inside);
    }

    /// Ends a part. Lines at its end do not belong to an event.
    fn end(&mut self, out: &mut Output<'_>) {
        out.write(&std::mem::take(&mut self.waiting));
        self.last = None;
    }
}
