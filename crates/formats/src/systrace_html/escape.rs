//! Escapes text inside a script of a page, so that an HTML parser finds no markup in it.
//! ```text
//! </script       ends the script
//! <!--           begins a state in which <script is counted, so that </script no longer ends it
//! <script        is counted there
//! ```
//!
//! The escape is a backslash after the `<`. A `<` that is already followed by backslashes gets one
//! more, so that the text can be restored. Everything else stays unchanged. Other tools show such
//! names with the backslash. systrace's own pages have no escapes, so their text could never
//! contain these words.

use std::io::{self, Write};

/// What an HTML parser looks for inside a script, after the `<`.
const WORDS: [&[u8]; 3] = [b"!--", b"script", b"/script"];

/// Whether a text that begins with `<` is markup inside a script, or an escaped form of it; `None`
/// if the text is too short to decide.
fn is_markup(text: &[u8]) -> Option<bool> {
    let rest = text.get(1..).unwrap_or_default();
    let slashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
    let rest = rest.get(slashes..).unwrap_or_default();
    let begins = |word: &[u8]| {
        let length = rest.len().min(word.len());
        let same = rest[..length].eq_ignore_ascii_case(&word[..length]);
        same.then_some(length == word.len())
    };
    let found: Vec<bool> = WORDS.into_iter().filter_map(begins).collect();
    if found.contains(&true) {
        Some(true)
    } else if found.is_empty() {
        Some(false)
    } else {
        None
    }
}

/// Writes escaped script text in chunks.
#[derive(Debug, Default)]
pub(super) struct Escape {
    /// A `<` and the bytes after it, until there are enough to interpret it.
    held: Vec<u8>,
}

impl Escape {
    /// Writes the next bytes.
    pub fn write(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let joined;
        let mut rest = bytes;
        if !self.held.is_empty() {
            self.held.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.held);
            rest = &joined[..];
        }
        let (mut done, mut ends) = (0, rest.len());
        for start in memchr::memchr_iter(b'<', rest) {
            match is_markup(&rest[start..]) {
                Some(false) => {}
                None => ends = start,
                Some(true) => {
                    out.write_all(&rest[done..=start])?;
                    out.write_all(b"\\")?;
                    done = start + 1;
                }
            }
        }
        self.held.extend_from_slice(&rest[ends..]);
        out.write_all(&rest[done..ends])
    }

    /// Writes the held bytes. They are not markup, because the end of the script follows.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&std::mem::take(&mut self.held))
    }
}

/// Restores escaped text in chunks.
#[derive(Debug, Default)]
pub(super) struct Unescape {
    /// A `<` and the bytes after it, until there are enough to interpret it.
    held: Vec<u8>,
}

impl Unescape {
    /// Appends the text of `bytes` to `plain`.
    pub fn push(&mut self, bytes: &[u8], plain: &mut Vec<u8>) {
        let mut rest = bytes;
        while !self.held.is_empty() {
            let Some((&byte, after)) = rest.split_first() else {
                return;
            };
            if byte == b'<' {
                // A new `<` begins, so the held one was not markup.
                self.finish(plain);
                break;
            }
            self.held.push(byte);
            rest = after;
            if byte != b'\\' && is_markup(&self.held).is_some() {
                let held = std::mem::take(&mut self.held);
                restore(&held, plain);
            }
        }
        self.pass(rest, plain);
    }

    /// Restores the markup in `text`. Text at the end that may be the beginning of markup stays in
    /// `held` until the next chunk.
    fn pass(&mut self, text: &[u8], plain: &mut Vec<u8>) {
        let mut done = 0;
        for start in memchr::memchr_iter(b'<', text) {
            plain.extend_from_slice(&text[done..start]);
            done = start + 1;
            match is_markup(&text[start..]) {
                None if memchr::memchr(b'<', &text[done..]).is_none() => {
                    self.held.extend_from_slice(&text[start..]);
                    return;
                }
                Some(true) if text.get(done) == Some(&b'\\') => done += 1,
                _ => {}
            }
            plain.push(b'<');
        }
        plain.extend_from_slice(&text[done..]);
    }

    /// Ends the input.
    pub fn finish(&mut self, plain: &mut Vec<u8>) {
        plain.append(&mut self.held);
    }
}

/// Removes one backslash from an escape.
fn restore(text: &[u8], plain: &mut Vec<u8>) {
    match text {
        [b'<', b'\\', rest @ ..] if is_markup(text) == Some(true) => {
            plain.push(b'<');
            plain.extend_from_slice(rest);
        }
        _ => plain.extend_from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of up to `length` relevant pieces.
    fn texts(length: usize) -> Vec<String> {
        const PIECES: [&str; 8] = ["<", "\\", "!--", "!-", "script", "/SCRIPT", "-->", "a>\n"];
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..length {
            let longer = |text: &String| PIECES.map(|piece| format!("{text}{piece}"));
            last = last.iter().flat_map(longer).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    fn escaped(text: &str) -> Vec<u8> {
        let whole = escaped_in(text, text.len().max(1));
        for chunk in [1, 2, 3, 7] {
            assert_eq!(escaped_in(text, chunk), whole, "chunks of {chunk}");
        }
        whole
    }

    fn escaped_in(text: &str, chunk: usize) -> Vec<u8> {
        let (mut escape, mut out) = (Escape::default(), Vec::new());
        for chunk in text.as_bytes().chunks(chunk) {
            escape.write(chunk, &mut out).unwrap();
        }
        escape.finish(&mut out).unwrap();
        out
    }

    #[test]
    fn every_text_comes_back_wherever_chunks_end() {
        for text in texts(5) {
            let escaped = escaped(&text);
            for chunk in [1, 2, 3, 7, 1000] {
                let (mut unescape, mut plain) = (Unescape::default(), Vec::new());
                let chunks = escaped.chunks(chunk);
                chunks.for_each(|chunk| unescape.push(chunk, &mut plain));
                unescape.finish(&mut plain);
                assert_eq!(String::from_utf8(plain).unwrap(), text, "chunks of {chunk}");
            }
        }
    }

    #[test]
    fn no_markup_is_left() {
        for text in texts(5) {
            let escaped = String::from_utf8(escaped(&text)).unwrap().to_lowercase();
            for markup in ["<!--", "<script", "</script"] {
                assert!(!escaped.contains(markup), "{text}: {escaped}");
            }
        }
        assert_eq!(escaped("std::vec<std::string>"), b"std::vec<std::string>");
    }
}
