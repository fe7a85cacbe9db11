//! Writes what was recorded.

use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_capture::PartKind;
use traceloom_formats::{FORMATS, WriteOptions};
use traceloom_trace::Trace;
use traceloom_view::{PageParts, ReportOptions, write_report};

use super::args::OutputKind;
use super::recording::Part;
use crate::commands::convert::left_out;
use crate::output::write_file;

/// What to write, and how.
pub struct Output<'a> {
    pub path: &'a Path,
    pub kind: OutputKind,
    pub title: String,
    pub threads: usize,
}

impl Output<'_> {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, trace: &Trace, parts: &mut [Part]) -> Result<()> {
        if !matches!(self.kind, OutputKind::Page | OutputKind::Dat) {
            for part in parts
                .iter_mut()
                .filter(|part| part.kind == PartKind::RawTrace)
            {
                *part = text_of(trace)?;
            }
        }
        match self.kind {
            OutputKind::Page => self.page(trace, parts),
            OutputKind::Json => write_file(self.path, |out| Ok(json(parts, out)?)),
            OutputKind::Text | OutputKind::Dat => {
                write_file(self.path, |out| Ok(text(parts, out)?))
            }
            OutputKind::Gzip => write_file(self.path, |out| {
                let mut gzip = GzEncoder::new(out, Compression::default());
                text(parts, &mut gzip)?;
                gzip.finish()?.flush().context("gzip")
            }),
        }
    }

    fn page(&self, trace: &Trace, parts: &[Part]) -> Result<()> {
        let options = ReportOptions {
            title: self.title.clone(),
            // What systrace's users expect of its pages: other tools open them too. A method trace
            // has no such text.
            embed_source: parts.iter().any(|part| is_of_system(part.kind)),
            threads: self.threads,
        };
        let shell = PageParts::new()?;
        write_file(self.path, |out| {
            Ok(write_report(trace, &options, &shell, out)?)
        })
    }
}

fn is_of_system(kind: PartKind) -> bool {
    matches!(kind, PartKind::SystemTrace | PartKind::RawTrace)
}

/// What pages say, as text.
fn text_of(trace: &Trace) -> Result<Part> {
    let format = FORMATS.iter().find(|format| format.id() == "ftrace");
    let writer = format.and_then(|format| format.writer());
    let writer = writer.context("no format for text")?;
    let mut part = Part::new(PartKind::SystemTrace, "ftrace")?;
    let written = writer.write(trace, &WriteOptions::default(), &mut part)?;
    if let Some(line) = left_out(&written, writer) {
        eprintln!("{line}");
    }
    Ok(part)
}

/// The trace as it came; where there are several, that of the system.
fn text(parts: &mut [Part], out: &mut dyn Write) -> io::Result<()> {
    let kinds = [
        PartKind::RawTrace,
        PartKind::SystemTrace,
        PartKind::File,
        PartKind::MethodTrace,
    ];
    let place = |kind| parts.iter().position(|part| part.kind == kind);
    if let Some(at) = kinds.into_iter().find_map(place) {
        io::copy(&mut parts[at].open()?, out)?;
    }
    Ok(())
}

/// systrace's object: a text a kind of data.
fn json(parts: &mut [Part], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"traceEvents\":[]")?;
    let mut written: Vec<&str> = Vec::new();
    for key in ["systemTraceEvents", "androidProcessDump", "cgroupDump"] {
        for part in parts.iter_mut().filter(|part| json_key(part.kind) == key) {
            // An object has each key once; the rest of a kind continues its text.
            match written.contains(&key) {
                true => out.write_all(b"\\n")?,
                false => write!(out, ",\"{key}\":\"")?,
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
    out.write_all(b",\"controllerTraceDataKey\":\"traceEvents\"}\n")
}

fn json_key(kind: PartKind) -> &'static str {
    match kind {
        PartKind::ProcessDump => "androidProcessDump",
        PartKind::CgroupDump => "cgroupDump",
        _ => "systemTraceEvents",
    }
}

fn heading(kind: PartKind) -> &'static [u8] {
    match kind {
        PartKind::ProcessDump => b"PROCESS DUMP\\n",
        _ => b"",
    }
}

/// The inside of a JSON string; bytes that are no UTF-8 become U+FFFD.
fn escape(from: &mut dyn Read, out: &mut dyn Write) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    let mut held = Vec::new();
    loop {
        let length = from.read(&mut piece)?;
        held.extend_from_slice(&piece[..length]);
        // A character may be cut at the end of a piece.
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

/// How many bytes there are before a character that is cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // What is no character in the middle is replaced; only the last bytes may be cut.
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
