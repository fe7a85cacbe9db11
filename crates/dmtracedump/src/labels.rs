//! What each method is called in the reports, put together once.

use std::ops::Range;

use super::buffer::Buffer;
use super::methods::{Method, MethodIndex, Methods};

/// Bytes of escaped text, with C's final NUL, at which the original gives up.
const ORIGINAL_HTML_LIMIT: usize = 10_240;

/// Whether the original could not have escaped some text of this method.
pub(super) fn is_too_long(method: &Method<'_>) -> bool {
    let texts = [
        method.class,
        method.name.unwrap_or_default(),
        method.signature,
    ];
    texts.iter().any(|text| {
        let mut escaped = Buffer::default();
        // Escaping makes five bytes of one at most.
        text.len() * 5 >= ORIGINAL_HTML_LIMIT && {
            escape(text, &mut escaped);
            escaped.len() >= ORIGINAL_HTML_LIMIT
        }
    })
}

/// The end of a row about each method: `class.method signature`, or just the class where there is no
/// method name, and a line break; escaped if HTML is wanted.
pub(super) struct Labels {
    text: Buffer,
    ends: Vec<usize>,
}

impl Labels {
    pub fn new(methods: &Methods<'_>, html: bool) -> Self {
        let length =
            |m: &Method<'_>| m.class.len() + m.name.map_or(0, <[u8]>::len) + m.signature.len() + 3;
        let mut labels = Labels {
            text: Buffer::with_room(methods.list().iter().map(length).sum()),
            ends: Vec::with_capacity(methods.len()),
        };
        for method in methods.list() {
            full_name(method, b" ", html, &mut labels.text);
            labels.text.text(b"\n");
            labels.ends.push(labels.text.len());
        }
        labels
    }

    /// Bytes of the longest.
    pub fn longest(&self) -> usize {
        let starts = std::iter::once(&0).chain(&self.ends);
        let lengths = starts.zip(&self.ends).map(|(start, end)| end - start);
        lengths.max().unwrap_or(0)
    }

    #[inline]
    pub fn of(&self, method: MethodIndex) -> &[u8] {
        &self.text.bytes()[self.range(method)]
    }

    /// Appends a method's line.
    #[inline]
    pub fn put(&self, method: MethodIndex, to: &mut Buffer) {
        to.part::<128>(&self.text, self.range(method));
    }

    #[inline]
    fn range(&self, method: MethodIndex) -> Range<usize> {
        let index = method as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }
}

/// Appends `class.method`, `between`, `signature`; just the class where there is no method name.
pub(super) fn full_name(method: &Method<'_>, between: &[u8], html: bool, to: &mut Buffer) {
    put(method.class, html, to);
    if let Some(name) = method.name {
        to.text(b".");
        put(name, html, to);
        to.text(between);
        put(method.signature, html, to);
    }
}

/// Appends `text`, escaped if `html`.
pub(super) fn put(text: &[u8], html: bool, to: &mut Buffer) {
    if html {
        escape(text, to);
    } else {
        to.text(text);
    }
}

/// Escapes `<`, `>` and `&`, and nothing else: what the original does, and enough where it stands.
pub(super) fn escape(text: &[u8], to: &mut Buffer) {
    for run in text.split_inclusive(|byte| b"<>&".contains(byte)) {
        let (plain, last) = run.split_at(run.len() - 1);
        to.text(plain);
        match last {
            b"<" => to.text(b"&lt;"),
            b">" => to.text(b"&gt;"),
            b"&" => to.text(b"&amp;"),
            last => to.text(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_quotes_alone() {
        let mut to = Buffer::default();
        escape(b"<init>&\"'", &mut to);
        assert_eq!(to.bytes(), b"&lt;init&gt;&amp;\"'");
    }
}
