//! Parts of a systrace page or JSON file with a clock of their own: WALT events, BattOr samples, dumps of
//! processes' memory. Reading them is deferred until everything else is read, because what relates
//! their clocks to the trace's may come anywhere in the file:
//!
//! ```text
//! ftrace      |----------*-----|            marker a
//! controller           ( a  b )             its own clock noted both
//! BattOr                  |--*-----|        marker b
//! ```

use traceloom_trace::{Place, RepairKind, Trace, TraceBuilder, align_clocks};

use crate::error::ReadError;
use crate::format::{ReadOptions, Target, TextPart, TextParts};
use crate::unwrap::Inner;
use crate::{battor, process_dump};

/// How far into a part its clock is looked for, bytes.
const HEAD: usize = 64;

/// Whether a part that begins with these bytes has a clock of its own.
pub(crate) fn is_deferred(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD)];
    head.starts_with(battor::TITLE)
        || head.starts_with(process_dump::memory::TITLE)
        || memchr::memmem::find(head, b"# clock_type=").is_some()
}

/// Collects such parts until everything else is read.
#[derive(Default)]
pub(crate) struct Deferred {
    parts: Vec<(String, Vec<u8>)>,
}

impl Deferred {
    /// Adds a part. `name` becomes the name of its source.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.parts.push((name.to_owned(), bytes));
    }

    /// Reads the parts and places them on the trace's time line, beginning with those that share a
    /// clock or a marker with what is already there.
    ///
    /// # Errors
    /// [`ReadError::TooDeep`] and [`ReadError::TooBig`]; any other damage is counted as a repair.
    pub fn finish(
        &mut self,
        format: &'static str,
        options: &ReadOptions,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        if let Target::Text(parts) = out {
            self.pass_on(*parts);
            return Ok(());
        }
        let mut traces = Vec::new();
        for (name, bytes) in std::mem::take(&mut self.parts) {
            let joins = bytes.starts_with(process_dump::memory::TITLE);
            let mut options = options.clone();
            options.name = name;
            options.nesting.joined = joins;
            let mut apart = TraceBuilder::new();
            let mut inner = Inner::new(format, &options);
            let mut target = if joins {
                Target::Trace(out.trace(format)?)
            } else {
                Target::Trace(&mut apart)
            };
            let read = inner
                .feed(&bytes, &mut target)
                .and_then(|()| inner.finish(&mut target));
            match read {
                Ok(()) if joins => {}
                Ok(()) => traces.push(apart.finish()),
                Err(error @ (ReadError::TooDeep { .. } | ReadError::TooBig { .. })) => {
                    return Err(error);
                }
                Err(error) => out.repair(RepairKind::BrokenBlock, 1, Place::default(), || {
                    format!("{}: {error}", options.name)
                }),
            }
        }
        if !traces.is_empty() {
            place(traces, out.trace(format)?);
        }
        Ok(())
    }
}

impl Deferred {
    /// The text of the parts. Only a dump belongs to the trace; others have a clock of their own.
    fn pass_on(&mut self, out: &mut dyn TextParts) {
        for (_, bytes) in std::mem::take(&mut self.parts) {
            if bytes.starts_with(process_dump::memory::TITLE) {
                out.begin_part(TextPart::TimedDump);
                out.text(&bytes);
            } else {
                out.other();
            }
        }
    }
}

/// Appends the traces in the order in which their clocks can be aligned.
fn place(mut traces: Vec<Trace>, out: &mut TraceBuilder) {
    while !traces.is_empty() {
        let found = |trace: &Trace| align_clocks(&out.trace().clocks, &trace.clocks);
        let placed = traces.iter().enumerate();
        let placed = placed.filter_map(|(at, trace)| Some((at, found(trace)?)));
        match placed.into_iter().next() {
            Some((at, alignment)) => out.append(traces.remove(at), alignment.shift_ns),
            None => beside(traces.remove(0), out),
        }
    }
}

/// Appends a trace that shares nothing with the others: it begins when they do.
fn beside(trace: Trace, out: &mut TraceBuilder) {
    let first = out.first_ts().unwrap_or(trace.bounds.0);
    let name = trace.sources.name.iter().next();
    let name = name.map(|name| trace.strings.get(name).to_owned());
    let place = Place::default().with_ts(first);
    out.repair(RepairKind::BadClockSync, 1, place, || {
        let name = name.unwrap_or_default();
        format!("{name} has no clock in common with the trace; it begins with it")
    });
    let shift_ns = first.saturating_sub(trace.bounds.0);
    out.append(trace, shift_ns);
}
