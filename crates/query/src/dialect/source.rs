//! Texts with names, and places in them.

use std::fmt;
use std::sync::Arc;

/// A range of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to `end`, which is not part of it.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Whether it covers no bytes.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// The bytes of a text that it covers; empty if it is not within the text.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A script or a module: its text and its name.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    /// Offset of the first byte of each line.
    lines: Vec<usize>,
    /// The `INCLUDE` statement that loaded it.
    included_at: Option<Fragment>,
}

impl Source {
    /// A script. `name` is shown in messages: a file name, or a word such as `query`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::build(name.into(), text.into(), None)
    }

    /// A module, and the statement that includes it.
    pub fn included(name: impl Into<String>, text: impl Into<String>, at: Fragment) -> Arc<Self> {
        Self::build(name.into(), text.into(), Some(at))
    }

    fn build(name: String, text: String, included_at: Option<Fragment>) -> Arc<Self> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(end, _)| end + 1));
        let lines = lines.collect();
        Arc::new(Self {
            name,
            text,
            lines,
            included_at,
        })
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The `INCLUDE` statement that loaded this module; none for the script itself.
    pub fn included_at(&self) -> Option<&Fragment> {
        self.included_at.as_ref()
    }

    /// Line of a byte offset, from 1. Offsets past the end belong to the last line.
    pub fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    /// Column of a byte offset in its line, in characters, from 1.
    pub fn column(&self, offset: usize) -> usize {
        let start = self.line(offset).checked_sub(1);
        let start = start
            .and_then(|line| self.lines.get(line))
            .copied()
            .unwrap_or(0);
        let line = self.text.get(start..).unwrap_or_default();
        let before = line
            .char_indices()
            .take_while(|(at, _)| start + at < offset);
        before.count() + 1
    }
}

/// A range of a source. It keeps the source, so that messages can name its line and column.
#[derive(Debug, Clone)]
pub struct Fragment {
    /// The text that contains it.
    pub source: Arc<Source>,
    /// The bytes it covers.
    pub span: Span,
}

impl Fragment {
    /// A range of a source.
    pub fn new(source: &Arc<Source>, span: Span) -> Self {
        let source = Arc::clone(source);
        Self { source, span }
    }

    /// A whole source.
    pub fn whole(source: &Arc<Source>) -> Self {
        Self::new(source, Span::new(0, source.text().len()))
    }

    /// Another range of the same source.
    pub fn at(&self, span: Span) -> Self {
        Self::new(&self.source, span)
    }

    /// Its text. Empty if the span is not within the source.
    pub fn text(&self) -> &str {
        self.span.of(self.source.text())
    }

    /// Line of its first byte, from 1.
    pub fn line(&self) -> usize {
        self.source.line(self.span.start)
    }

    /// Column of its first byte, in characters, from 1.
    pub fn column(&self) -> usize {
        self.source.column(self.span.start)
    }
}

impl PartialEq for Fragment {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span
            && (Arc::ptr_eq(&self.source, &other.source) || self.source == other.source)
    }
}

impl Eq for Fragment {}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, name) = (self.line(), self.column(), self.source.name());
        write!(f, "line {line}, column {column} of {name}")
    }
}
