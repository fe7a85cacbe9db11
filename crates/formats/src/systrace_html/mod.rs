//! Pages written by all versions of systrace, and by trace2html:
//!
//! ```text
//! 2012        <script> var linuxPerfData = "\    lines that end in \n\
//! 2013        the same, with raw line ends
//! 2014-2021   <!-- BEGIN TRACE -->  <script class="trace-data" …> any number of blocks
//! trace2html  <script id="viewer-data" …> text, or base64 of gzip
//! ```

mod block;
mod escape;
mod js_lines;
mod packed;
mod page;
#[cfg(test)]
mod tests;
mod write;

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target, Writer};
use crate::format_id;
use crate::unwrap::Inner;
use js_lines::JsLines;

pub(crate) use write::Page;

/// A page that contains a trace. All its blocks become one source.
pub(crate) struct SystraceHtml;

impl Format for SystraceHtml {
    fn id(&self) -> &'static str {
        format_id::SYSTRACE_HTML
    }

    fn title(&self) -> &'static str {
        "systrace page"
    }

    fn is_container(&self) -> bool {
        true
    }

    /// The viewer's code comes first and takes megabytes, so any page may contain a trace.
    fn sniff(&self, head: &[u8]) -> Confidence {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        let head = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
        let starts =
            |text: &[u8]| head.len() >= text.len() && head[..text.len()].eq_ignore_ascii_case(text);
        if starts(b"<!-- begin trace -->") || starts(b"<script class=\"trace-data\"") {
            Confidence::Certain
        } else if starts(b"<!doctype html") || starts(b"<html") || is_page(head) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(page::PageReader::new(options)))
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::PageWriter)
    }
}

/// Whether a text that begins with a tag or a comment is a page. Browsers put a comment before
/// pages that they save.
fn is_page(head: &[u8]) -> bool {
    let has = |tag: &[u8]| {
        let mut starts = memchr::memchr_iter(b'<', head);
        starts.any(|at| {
            let text = head.get(at..at + tag.len());
            text.is_some_and(|text| text.eq_ignore_ascii_case(tag))
        })
    };
    head.starts_with(b"<") && (has(b"<html") || has(b"<script"))
}

/// The string literal of an old page, saved without the page around it.
pub(crate) struct SystraceJs;

impl Format for SystraceJs {
    fn id(&self) -> &'static str {
        format_id::SYSTRACE_JS
    }

    fn title(&self) -> &'static str {
        "string literal of a systrace page"
    }

    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        let mut lines = head.split(|&byte| byte == b'\n').take(3);
        if lines.all(|line| line.trim_ascii_end().ends_with(b"\\n\\")) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(JsReader {
            lines: JsLines::default(),
            plain: Vec::new(),
            inner: Inner::new(self.id(), options),
        }))
    }
}

struct JsReader {
    lines: JsLines,
    plain: Vec<u8>,
    inner: Inner,
}

impl JsReader {
    fn pass_on(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let result = self.inner.feed(&self.plain, out);
        self.plain.clear();
        result
    }
}

impl Reader for JsReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        self.lines.push(chunk, &mut self.plain);
        self.pass_on(out)
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        self.lines.finish(&mut self.plain);
        self.pass_on(out)?;
        self.inner.finish(out)
    }
}
