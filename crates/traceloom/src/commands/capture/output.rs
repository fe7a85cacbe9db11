//! Writes the recording as a report, JSON, text, gzip or trace.dat.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_capture::PartKind;
use traceloom_formats::{FORMATS, WriteOptions, Writer};
use traceloom_trace::Trace;
use traceloom_view::{ReportOptions, write_report};

use super::options::OutputKind;
use super::part::Part;
use crate::commands::convert::left_out;
use crate::output::write_recording;
use crate::print::message;

/// The output file and its contents.
pub struct Output<'a> {
    pub path: &'a Path,
    pub kind: OutputKind,
    pub title: String,
    pub threads: usize,
}

impl Output<'_> {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, trace: &Arc<Trace>, parts: &mut [Part]) -> Result<()> {
        self.make_text(trace, parts)?;
        match self.kind {
            OutputKind::Page => self.page(trace, parts),
            OutputKind::Json if has(parts, PartKind::MethodTrace) => {
                let json = writer("chrome-json")?;
                write_recording(self.path, |out| written(trace, json, out))
            }
            OutputKind::Json => write_recording(self.path, |out| Ok(json(parts, out)?)),
            OutputKind::Text | OutputKind::Dat | OutputKind::Perfetto => self.as_it_came(parts),
            OutputKind::Gzip => write_recording(self.path, |out| {
                let mut gzip = GzEncoder::new(out, Compression::default());
                text(parts, &mut gzip)?;
                gzip.finish()?.flush().context("gzip")
            }),
        }
    }

    /// Replaces recordings that are not text, if the output is text.
    fn make_text(&self, trace: &Trace, parts: &mut [Part]) -> Result<()> {
        let is_text = match self.kind {
            OutputKind::Text | OutputKind::Gzip => true,
            // systrace's JSON cannot hold methods.
            OutputKind::Json => !has(parts, PartKind::MethodTrace),
            OutputKind::Page | OutputKind::Dat | OutputKind::Perfetto => false,
        };
        if !is_text {
            return Ok(());
        }
        let is_other =
            |part: &&mut Part| [PartKind::RawTrace, PartKind::PerfettoTrace].contains(&part.kind);
        for part in parts.iter_mut().filter(is_other) {
            *part = text_of(trace)?;
        }
        Ok(())
    }

    /// Writes the recording unchanged. Its file is already in place, or it is copied there.
    fn as_it_came(&self, parts: &mut [Part]) -> Result<()> {
        let written = trace_of(parts).map(Part::become_result);
        match written.transpose()? {
            Some(true) => Ok(()),
            _ => write_recording(self.path, |out| Ok(text(parts, out)?)),
        }
    }

    fn page(&self, trace: &Arc<Trace>, parts: &[Part]) -> Result<()> {
        let options = ReportOptions {
            title: self.title.clone(),
            // Users of systrace expect its text in the page, so that other tools can open the page. A method trace has
            // no such text, and a Perfetto trace has data that the text cannot express.
            embed_source: has(parts, PartKind::SystemTrace) || has(parts, PartKind::RawTrace),
            results: Vec::new(),
            threads: self.threads,
        };
        write_recording(self.path, |out| Ok(write_report(trace, &options, out)?))
    }
}

/// Converts raw pages to text.
fn text_of(trace: &Trace) -> Result<Part> {
    let mut part = Part::new(PartKind::SystemTrace, "ftrace")?;
    written(trace, writer("ftrace")?, &mut part)?;
    Ok(part)
}

fn has(parts: &[Part], kind: PartKind) -> bool {
    parts.iter().any(|part| part.kind == kind)
}

fn writer(id: &str) -> Result<&'static dyn Writer> {
    let format = FORMATS.iter().find(|format| format.id() == id);
    let writer = format.and_then(|format| format.writer());
    writer.with_context(|| format!("{id} is not written"))
}

/// Writes the trace, and prints what the format cannot hold.
fn written(trace: &Trace, writer: &dyn Writer, out: &mut dyn Write) -> Result<()> {
    let written = writer.write(trace, &WriteOptions::default(), out)?;
    if let Some(line) = left_out(&written, writer) {
        message!("{line}");
    }
    Ok(())
}

/// The trace of the system if there are several.
fn trace_of(parts: &mut [Part]) -> Option<&mut Part> {
    let kinds = [
        PartKind::RawTrace,
        PartKind::PerfettoTrace,
        PartKind::SystemTrace,
        PartKind::File,
        PartKind::MethodTrace,
    ];
    let place = |kind| parts.iter().position(|part| part.kind == kind);
    let at = kinds.into_iter().find_map(place)?;
    parts.get_mut(at)
}

/// Writes the recording unchanged.
fn text(parts: &mut [Part], out: &mut dyn Write) -> io::Result<()> {
    if let Some(part) = trace_of(parts) {
        io::copy(&mut part.open()?, out)?;
    }
    Ok(())
}

/// systrace's JSON object: one text per kind of data.
fn json(parts: &mut [Part], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"traceEvents\":[]")?;
    let mut written: Vec<&str> = Vec::new();
    for key in JSON_KEYS {
        for part in parts.iter_mut().filter(|part| json_key(part.kind) == key) {
            // A key occurs once in an object. Further parts of the same kind continue its text.
            if written.contains(&key) {
                out.write_all(b"\\n")?
            } else {
                write!(out, ",\"{key}\":\"")?
            }
            if !written.contains(&key) {
                out.write_all(heading(part.kind))?;
            }
            escape(&mut part.open()?, out)?;
            written.push(key);
        }
        if written.contains(&key) {
            out.write_all(b"\"")?;
        }
    }
    let controller = if written.contains(&CONTROLLER) {
        CONTROLLER
    } else {
        "traceEvents"
    };
    writeln!(out, ",\"controllerTraceDataKey\":\"{controller}\"}}")
}

const CONTROLLER: &str = "systraceController";

/// The keys that systrace used for the data of its agents.
const JSON_KEYS: [&str; 7] = [
    "systemTraceEvents",
    "androidProcessDump",
    "cgroupDump",
    "atraceProcessDump",
    "waltTrace",
    "powerTraceAsString",
    CONTROLLER,
];

fn json_key(kind: PartKind) -> &'static str {
    match kind {
        PartKind::ProcessDump => "androidProcessDump",
        PartKind::CgroupDump => "cgroupDump",
        PartKind::MemoryDump => "atraceProcessDump",
        PartKind::Walt => "waltTrace",
        PartKind::Power => "powerTraceAsString",
        PartKind::ClockMarks => CONTROLLER,
        _ => "systemTraceEvents",
    }
}

fn heading(kind: PartKind) -> &'static [u8] {
    match kind {
        PartKind::ProcessDump => b"PROCESS DUMP\\n",
        _ => b"",
    }
}

/// The content of a JSON string; invalid UTF-8 becomes U+FFFD.
fn escape(from: &mut dyn Read, out: &mut dyn Write) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    let mut held = Vec::new();
    loop {
        let length = from.read(&mut piece)?;
        held.extend_from_slice(&piece[..length]);
        // A character may be split at the end of a chunk.
        let whole = match length {
            0 => held.len(),
            _ => whole_characters(&held),
        };
        let text = String::from_utf8_lossy(&held[..whole]).into_owned();
        let quoted = serde_json::to_string(&text)?;
        out.write_all(&quoted.as_bytes()[1..quoted.len() - 1])?;
        held.drain(..whole);
        if length == 0 {
            return Ok(());
        }
    }
}

/// The number of bytes before a character that is cut off at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // Invalid bytes in the middle are replaced; only the last ones may be an incomplete
        // character.
        Err(_) => {
            let tail = bytes.len().saturating_sub(3);
            let begins = |at: &usize| bytes[*at] >= 0xc0;
            (tail..bytes.len()).find(begins).unwrap_or(bytes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn strings_are_escaped_across_pieces() {
        let text = format!("{}\"\\\n\u{1}ü", "x".repeat((1 << 16) - 5));
        let mut out = Vec::new();
        escape(&mut text.as_bytes(), &mut out).unwrap();
        let quoted = format!("\"{}\"", String::from_utf8(out).unwrap());
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
        let mut out = Vec::new();
        escape(&mut &b"a\xffb\xc3"[..], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\u{fffd}b\u{fffd}");
    }
}
