//! The destination of copied lines.

use std::io::{self, Write};

use crate::format_id;
use crate::systrace_html::Page;

/// The form in which lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyForm {
    /// Text.
    Text,
    /// A page in systrace's format.
    Page,
}

impl CopyForm {
    /// The output form for the format `id`; `None` if the format is not text.
    pub fn of(id: &str) -> Option<Self> {
        match id {
            format_id::FTRACE => Some(Self::Text),
            format_id::SYSTRACE_HTML => Some(Self::Page),
            _ => None,
        }
    }
}

/// A text or a page being written. After an error, nothing more is written.
pub(super) struct Output<'o> {
    form: OutputForm<'o>,
    error: Option<io::Error>,
    /// Whether the last line is still incomplete.
    in_line: bool,
}

enum OutputForm<'o> {
    Text(&'o mut dyn Write),
    Page(Page<'o>),
}

impl<'o> Output<'o> {
    pub fn new(form: CopyForm, out: &'o mut dyn Write) -> Self {
        let form = match form {
            CopyForm::Text => OutputForm::Text(out),
            CopyForm::Page => OutputForm::Page(Page::new(out)),
        };
        Self {
            form,
            error: None,
            in_line: false,
        }
    }

    /// Whether every part of the input becomes its own block.
    pub fn has_blocks(&self) -> bool {
        matches!(self.form, OutputForm::Page(_))
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        self.in_line = *last != b'\n';
        self.attempt(|to| match to {
            OutputForm::Text(out) => out.write_all(bytes),
            OutputForm::Page(page) => page.write_all(bytes),
        });
    }

    /// Ends a block of a page. In a text, it ends the line.
    pub fn end_block(&mut self) {
        let in_line = std::mem::take(&mut self.in_line);
        self.attempt(|to| match to {
            OutputForm::Text(out) if in_line => out.write_all(b"\n"),
            OutputForm::Text(_) => Ok(()),
            OutputForm::Page(page) => page.end_block(),
        });
    }

    /// Ends the output.
    pub fn finish(self) -> io::Result<()> {
        match (self.error, self.form) {
            (Some(error), _) => Err(error),
            (None, OutputForm::Page(page)) => page.finish(),
            (None, OutputForm::Text(out)) => out.flush(),
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut OutputForm<'o>) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = write(&mut self.form).err();
        }
    }
}
