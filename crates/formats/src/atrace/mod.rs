//! The output of `adb shell atrace`: messages, the line `TRACE:`, then the trace as text or, with
//! `-z`, as a zlib stream. (AOSP `frameworks/native/cmds/atrace/atrace.cpp`, `dumpTrace`.)

mod crlf;
#[cfg(test)]
mod tests;

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, SNIFF_BYTES, Target};
use crate::format_id;
use crate::unwrap::{DeflateReader, Inflater, Inner, Outcome, Wrapping};
use crate::zlib::has_header;
use crlf::CrlfUndo;

/// The output of atrace: opens the trace in it.
pub(crate) struct Atrace;

impl Format for Atrace {
    fn id(&self) -> &'static str {
        format_id::ATRACE
    }

    fn title(&self) -> &'static str {
        "atrace output"
    }

    fn is_container(&self) -> bool {
        true
    }

    /// Plain text after `# TRACE:` needs no unwrapping, because the reader of ftrace text treats
    /// that line as a comment.
    fn sniff(&self, head: &[u8]) -> Confidence {
        match Marker::find(head) {
            Some(marker) if marker.zlib || !marker.comment => Confidence::Certain,
            Some(_) => Confidence::Maybe,
            None => Confidence::No,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(AtraceReader {
            options: options.clone(),
            head: Vec::new(),
            body: None,
        }))
    }
}

/// The line `TRACE:`.
#[derive(Debug, PartialEq, Eq)]
struct Marker {
    /// The number of lines before the data.
    lines: usize,
    /// Where the data begins.
    data: usize,
    /// The number of carriage returns at the end of the line; `None` if the line has no end.
    returns: Option<usize>,
    /// Whether the data is a zlib stream.
    zlib: bool,
    /// Whether the marker is a comment, `# TRACE:`.
    comment: bool,
}

impl Marker {
    /// Finds the marker after the messages of adb and atrace.
    fn find(head: &[u8]) -> Option<Self> {
        const MOST_MESSAGES: usize = 64;
        let mut start = 0;
        for lines in 0..MOST_MESSAGES {
            let rest = head.get(start..)?;
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..length];
            if let Some(comment) = marks(line.trim_ascii()) {
                return Some(Self::after(head, start + length, lines, comment));
            }
            if begins_a_trace(line) || length == rest.len() {
                return None;
            }
            start += length + 1;
        }
        None
    }

    fn after(head: &[u8], line_end: usize, lines: usize, comment: bool) -> Self {
        let before = &head[..line_end];
        let returns = before.len() - before.trim_suffix_returns().len();
        let rest = &head[line_end..];
        let blank = rest
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let ends = rest[..blank].iter().filter(|&&byte| byte == b'\n').count();
        Self {
            lines: lines + ends,
            data: line_end + blank,
            returns: (ends > 0).then_some(returns),
            zlib: has_header(&rest[blank..]),
            comment,
        }
    }
}

/// Whether a line is the marker; if so, whether it is a comment.
fn marks(line: &[u8]) -> Option<bool> {
    match line {
        b"TRACE:" => Some(false),
        b"# TRACE:" => Some(true),
        _ => {
            (line.starts_with(b"capturing trace...") && line.ends_with(b"TRACE:")).then_some(false)
        }
    }
}

/// Whether a line belongs to a trace. Messages come only before the trace.
fn begins_a_trace(line: &[u8]) -> bool {
    line.starts_with(b"# tracer") || line.starts_with(b"<") || line.starts_with(b"*version")
}

trait Returns {
    fn trim_suffix_returns(&self) -> &[u8];
}

impl Returns for [u8] {
    fn trim_suffix_returns(&self) -> &[u8] {
        let end = self.iter().rposition(|&byte| byte != b'\r');
        &self[..end.map_or(0, |end| end + 1)]
    }
}

struct AtraceReader {
    options: ReadOptions,
    head: Vec<u8>,
    body: Option<Body>,
}

struct Body {
    crlf: CrlfUndo,
    /// Output of `crlf` that is not passed on yet.
    plain: Vec<u8>,
    data: Data,
}

enum Data {
    Packed(Box<DeflateReader>),
    Text(Box<Inner>),
}

impl AtraceReader {
    /// Opens the body once the marker and the two bytes after it have arrived.
    fn open(&mut self, last: bool, out: &mut Target<'_>) -> Result<(), ReadError> {
        let marker = Marker::find(&self.head);
        match marker {
            Some(marker) if last || self.head.len() >= marker.data + 2 => {
                let head = std::mem::take(&mut self.head);
                let mut body = Body::new(&marker, &self.options, out)?;
                body.feed(&head[marker.data..], out)?;
                self.body = Some(body);
                Ok(())
            }
            _ if last || self.head.len() > 2 * SNIFF_BYTES => Err(ReadError::Truncated {
                format: format_id::ATRACE,
                inside: "the messages before TRACE:",
                offset: self.head.len() as u64,
            }),
            _ => Ok(()),
        }
    }
}

impl Reader for AtraceReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if let Some(body) = &mut self.body {
            return body.feed(chunk, out);
        }
        self.head.extend_from_slice(chunk);
        self.open(false, out)
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.body.is_none() {
            self.open(true, out)?;
        }
        match &mut self.body {
            Some(body) => body.finish(out),
            None => Err(ReadError::Empty),
        }
    }
}

impl Body {
    fn new(
        marker: &Marker,
        options: &ReadOptions,
        out: &mut Target<'_>,
    ) -> Result<Self, ReadError> {
        let data = if marker.zlib {
            Data::Packed(Box::new(DeflateReader::new(
                format_id::ATRACE,
                Wrapping::Zlib,
                options,
            )))
        } else {
            let mut inner = Inner::new(format_id::ATRACE, options);
            // One comment for each skipped line, so that line numbers match the file.
            inner.feed(&b"#\n".repeat(marker.lines), out)?;
            Data::Text(Box::new(inner))
        };
        Ok(Self {
            crlf: CrlfUndo::after_line_end(marker.returns),
            plain: Vec::new(),
            data,
        })
    }

    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.crlf.is_clean() {
            return self.data.feed(chunk, out);
        }
        const PIECE: usize = 64 << 10;
        for piece in chunk.chunks(PIECE) {
            self.crlf.push(piece, &mut self.plain);
            self.pass_on(out)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let result = self.data.feed(&self.plain, out);
        self.plain.clear();
        result
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let packed = matches!(self.data, Data::Packed(_));
        self.crlf
            .finish(&mut self.plain, |bytes| packed && inflates(bytes));
        self.pass_on(out)?;
        match &mut self.data {
            Data::Packed(reader) => reader.finish(out)?,
            Data::Text(inner) => inner.finish(out)?,
        }
        let undone = self.crlf.undone();
        out.repair(RepairKind::CrlfDamage, undone, Place::default(), || {
            "by adb shell".to_owned()
        });
        Ok(())
    }
}

impl Data {
    fn feed(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        match self {
            Self::Packed(reader) => reader.feed(bytes, out),
            Self::Text(inner) => inner.feed(bytes, out),
        }
    }
}

/// Whether the bytes are a complete zlib stream.
fn inflates(bytes: &[u8]) -> bool {
    matches!(
        Inflater::zlib().push(bytes, |_| Ok(())),
        Ok(Outcome::End(_))
    )
}
