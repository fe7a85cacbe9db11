//! Writes pages like those of systrace, so that every tool for these can open them. They hold no
//! viewer, and a note in the page says so.

use std::io::{self, Write};

use traceloom_trace::Trace;

use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::ftrace::write::write_text;
use crate::omissions::Written;

const BEFORE: &str = r#"<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>Android System Trace</title></head>
<body>
<p>This page holds a trace in the form that systrace wrote. It has no viewer: open the file in
<a href="https://ui.perfetto.dev">ui.perfetto.dev</a>, in the trace viewer of catapult, or with
<code>traceloom</code>.</p>
<!-- BEGIN TRACE -->
  <script class="trace-data" type="application/text">
"#;

const AFTER: &str = "  </script>\n<!-- END TRACE -->\n</body>\n</html>\n";

/// Writes a systrace page.
pub(super) struct PageWriter;

impl Writer for PageWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn write(
        &self,
        trace: &Trace,
        _: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let mut page = Page { out, begun: false };
        let written = write_text(trace, &mut Lines::new(&mut page))?;
        page.out.write_all(AFTER.as_bytes())?;
        Ok(written)
    }
}

/// Writes the head of the page together with the first text, so that a trace with nothing to write
/// produces no output.
struct Page<'a> {
    out: &'a mut dyn Write,
    begun: bool,
}

impl Page<'_> {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            self.out.write_all(BEFORE.as_bytes())?;
        }
        let mut rest = line;
        // This is the only text that could end the script early. It does not occur in systrace's
        // pages.
        while let Some(start) = find_end(rest) {
            self.out.write_all(&rest[..=start])?;
            self.out.write_all(b"\\")?;
            rest = &rest[start + 1..];
        }
        self.out.write_all(rest)
    }
}

fn find_end(text: &[u8]) -> Option<usize> {
    const END: &[u8] = b"</script";
    memchr::memchr_iter(b'<', text).find(|&start| {
        text.get(start..start + END.len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case(END))
    })
}

/// Passes on whole lines.
struct Lines<'a, 'b> {
    page: &'a mut Page<'b>,
    held: Vec<u8>,
}

impl<'a, 'b> Lines<'a, 'b> {
    fn new(page: &'a mut Page<'b>) -> Self {
        Self {
            page,
            held: Vec::new(),
        }
    }
}

impl Write for Lines<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if let Some(end) = memchr::memrchr(b'\n', &self.held) {
            self.page.line(&self.held[..=end])?;
            self.held.drain(..=end);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.page.out.flush()
    }
}
