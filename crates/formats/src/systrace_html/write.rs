//! Writes pages in systrace's format, so that every tool for such pages can open them. They contain no viewer, and a
//! note in the page explains this.

use std::io::{self, Write};

use traceloom_trace::Trace;

use super::escape::Escape;
use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::ftrace::write::{Dump, write_text};
use crate::omissions::Written;

const HEAD: &str = r#"<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>Android System Trace</title></head>
<body>
<p>This page holds a trace in the form that systrace wrote. It has no viewer: open the file in
<a href="https://ui.perfetto.dev">ui.perfetto.dev</a>, in the trace viewer of catapult, or with
<code>traceloom</code>.</p>
<!-- BEGIN TRACE -->
"#;

const BLOCK: &str = "  <script class=\"trace-data\" type=\"application/text\">\n";

const BLOCK_END: &str = "</script>\n";

const FOOT: &str = "<!-- END TRACE -->\n</body>\n</html>\n";

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
        let mut page = Page::new(out);
        let dump = Dump::new(trace);
        let written = write_text(trace, &dump, &mut page)?;
        if !dump.is_empty() {
            page.end_block()?;
            page.write_all(b"PROCESS DUMP\n")?;
            dump.write(&mut page)?;
        }
        page.finish()?;
        Ok(written)
    }
}

/// A page being written. Its head is written together with the first text, so that a trace with
/// nothing to write produces no output.
pub(crate) struct Page<'a> {
    out: &'a mut dyn Write,
    escape: Escape,
    begun: bool,
    in_block: bool,
}

impl<'a> Page<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            escape: Escape::default(),
            begun: false,
            in_block: false,
        }
    }

    /// Ends the current block, if any. The next text begins a new block.
    pub fn end_block(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.in_block) {
            self.escape.finish(self.out)?;
            self.out.write_all(BLOCK_END.as_bytes())?;
        }
        Ok(())
    }

    /// Ends the page.
    pub fn finish(mut self) -> io::Result<()> {
        self.end_block()?;
        self.out.write_all(FOOT.as_bytes())
    }
}

impl Write for Page<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.begun, true) {
            self.out.write_all(HEAD.as_bytes())?;
        }
        if !std::mem::replace(&mut self.in_block, true) {
            self.out.write_all(BLOCK.as_bytes())?;
        }
        self.escape.write(bytes, self.out)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
