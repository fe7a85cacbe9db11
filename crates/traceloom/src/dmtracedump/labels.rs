//! What each method is called in the reports, put together once.

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
        let mut escaped = Vec::new();
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
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Labels {
    pub fn new(methods: &Methods<'_>, html: bool) -> Self {
        let length =
            |m: &Method<'_>| m.class.len() + m.name.map_or(0, <[u8]>::len) + m.signature.len() + 3;
        let mut labels = Labels {
            text: Vec::with_capacity(methods.list().iter().map(length).sum()),
            ends: Vec::with_capacity(methods.len()),
        };
        for method in methods.list() {
            full_name(method, b" ", html, &mut labels.text);
            labels.text.push(b'\n');
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
        let index = method as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }
}

/// Appends `class.method`, `between`, `signature`; just the class where there is no method name.
pub(super) fn full_name(method: &Method<'_>, between: &[u8], html: bool, to: &mut Vec<u8>) {
    put(method.class, html, to);
    if let Some(name) = method.name {
        to.push(b'.');
        put(name, html, to);
        to.extend_from_slice(between);
        put(method.signature, html, to);
    }
}

/// Appends `text`, escaped if `html`.
pub(super) fn put(text: &[u8], html: bool, to: &mut Vec<u8>) {
    if html {
        escape(text, to);
    } else {
        to.extend_from_slice(text);
    }
}

/// Escapes `<`, `>` and `&`, and nothing else: what the original does, and enough where it stands.
pub(super) fn escape(text: &[u8], to: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'<' => to.extend_from_slice(b"&lt;"),
            b'>' => to.extend_from_slice(b"&gt;"),
            b'&' => to.extend_from_slice(b"&amp;"),
            _ => to.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_quotes_alone() {
        let mut to = Vec::new();
        escape(b"<init>&\"'", &mut to);
        assert_eq!(to, b"&lt;init&gt;&amp;\"'");
    }
}
