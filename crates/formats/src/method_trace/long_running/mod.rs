//! ART's always-on traces of long-running methods, which are part of ANR reports.
//!
//! A report (`/data/anr`, or a bug report) holds them as base64. Its content:
//!
//! ```text
//! 3  u64 now, recorder's ns  u64 now, CLOCK_MONOTONIC ns        newer ART, once, at the start
//! 2  u32 tid  u24 records  u32 size  records                    per thread
//!       sleb Δ(ns<<1 | is exit)   on entry: sleb Δ method
//! 0  u32 tid  u16 length  name                                  threads
//! 1  u64 method  u16 length  "class⇥name⇥signature⇥file\n"      methods
//! ```
//!
//! Only methods that ran for at least a third of a second are recorded, with their callers. An
//! older version of ART wrote a file without times: [`untimed`].
//!
//! Sources: ART's `runtime/trace_profile.cc` (2024, 2025) and
//! `tools/trace_parser/long_running_method_trace_parser.cc`. No report from a device was available.

mod timed;
mod untimed;

use traceloom_trace::MethodEvents;

use self::timed::Block;
use super::interpret::Interpreter;
use crate::base64;
use crate::error::ReadError;
use crate::foreign::unknown_format;
use crate::format::{Confidence, Format, ReadOptions, Reader, SNIFF_BYTES, Target};
use crate::format_id;

/// Long-running methods, in an ANR report or by themselves.
pub(crate) struct LongRunning;

impl Format for LongRunning {
    fn id(&self) -> &'static str {
        format_id::LONG_RUNNING
    }

    fn title(&self) -> &'static str {
        "long-running methods of an ANR report"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.starts_with(untimed::MAGIC) {
            return Confidence::Certain;
        }
        if timed::looks_right(head) || base64::runs(head).any(|run| is_block(head, &run)) {
            return Confidence::Likely;
        }
        // The base64 may come after the end of `head`.
        if head.len() >= SNIFF_BYTES && is_report(head) {
            Confidence::Maybe
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(LongRunningReader {
            name: options.name.clone(),
            input: Vec::new(),
        }))
    }
}

/// Whether a text begins like an ANR report or a bug report. In a bug report, the processes come far after its
/// beginning.
fn is_report(text: &[u8]) -> bool {
    const TITLE: &[u8] = b"== dumpstate: ";
    let title = &text[..text.len().min(256)];
    memchr::memmem::find(title, TITLE).is_some()
        || memchr::memmem::find(text, b"----- pid ").is_some()
}

/// Whether the beginning of a run of base64 decodes to a block.
fn is_block(text: &[u8], run: &std::ops::Range<usize>) -> bool {
    const LOOK: usize = 4 << 10;
    let end = run.end.min(run.start + LOOK);
    timed::looks_right(&base64::decode(&text[run.start..end]))
}

/// Keeps the whole input, because names come after their use.
struct LongRunningReader {
    name: String,
    input: Vec<u8>,
}

impl Reader for LongRunningReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        match out {
            Target::Trace(builder) => builder.add_source_bytes(chunk.len() as u64),
            Target::Methods(_) => {}
            Target::Text(_) => _ = out.trace(format_id::LONG_RUNNING)?,
        }
        self.input.extend_from_slice(chunk);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.input.starts_with(untimed::MAGIC) {
            return match out {
                Target::Methods(consumer) => untimed::read(&self.input, *consumer),
                Target::Trace(builder) => {
                    untimed::read(&self.input, &mut Interpreter::default().on(builder))
                }
                Target::Text(_) => out.trace(format_id::LONG_RUNNING).map(|_| ()),
            };
        }
        let blocks = blocks(&self.input)?;
        match out {
            // A consumer of events accepts only one trace.
            Target::Methods(_) if blocks.len() > 1 => Err(ReadError::NoMethodEvents {
                format: format_id::LONG_RUNNING,
            }),
            Target::Methods(consumer) => {
                blocks.iter().for_each(|block| block.read(*consumer));
                Ok(())
            }
            Target::Trace(builder) => {
                for (number, block) in blocks.iter().enumerate() {
                    if number > 0 {
                        let name = format!("{} ({})", self.name, number + 1);
                        builder.begin_source(&name, format_id::LONG_RUNNING);
                    }
                    block.read(&mut Interpreter::default().on(builder));
                }
                Ok(())
            }
            Target::Text(_) => out.trace(format_id::LONG_RUNNING).map(|_| ()),
        }
    }
}

/// The block of a process, with the facts that the report gives about it.
struct Found {
    bytes: Vec<u8>,
    keys: Vec<(String, String)>,
}

impl Found {
    fn read(&self, sink: &mut dyn MethodEvents) {
        Block::new(&self.bytes).read(&self.keys, sink);
    }
}

/// All blocks of a report, at most one for each process.
fn blocks(input: &[u8]) -> Result<Vec<Found>, ReadError> {
    if timed::looks_right(input) {
        return Ok(vec![Found {
            bytes: input.to_vec(),
            keys: Vec::new(),
        }]);
    }
    let mut from = 0;
    let mut found = Vec::new();
    for run in base64::runs(input).filter(|run| is_block(input, run)) {
        let mut keys = report_keys(&input[from..run.start]);
        keys.push(("base64-offset".to_owned(), run.start.to_string()));
        from = run.end;
        found.push(Found {
            bytes: base64::decode(&input[run]),
            keys,
        });
    }
    if found.is_empty() {
        // What is left is a thread dump or a bug report.
        return Err(unknown_format(input));
    }
    Ok(found)
}

/// The last process header in the report before the block: `----- pid 123 at 2025-…` and `Cmd line:
/// name`.
fn report_keys(text: &[u8]) -> Vec<(String, String)> {
    let after = |mark: &[u8]| {
        let found = memchr::memmem::rfind(text, mark)?;
        let rest = &text[found + mark.len()..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        Some(String::from_utf8_lossy(&rest[..end]).trim().to_owned())
    };
    let mut keys = Vec::new();
    if let Some(line) = after(b"----- pid ") {
        let pid = line.split(' ').next().unwrap_or_default();
        keys.push(("pid".to_owned(), pid.to_owned()));
    }
    if let Some(line) = after(b"Cmd line: ") {
        keys.push(("cmdline".to_owned(), line));
    }
    keys
}
