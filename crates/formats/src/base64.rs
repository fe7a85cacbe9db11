//! Base64 (RFC 4648): lenient decoding of chunks, and finding base64 in a text.

use std::ops::Range;

/// Runs shorter than this are words, not data.
const SHORTEST_RUN: usize = 32;

/// Decodes base64 in chunks. Line ends and other bytes outside the alphabet are ignored, and so are
/// bits at the end that do not fill a byte.
#[derive(Debug, Default)]
pub(crate) struct Base64 {
    bits: u32,
    count: u32,
}

impl Base64 {
    /// Decodes `text` and appends the result to `bytes`.
    pub fn push(&mut self, text: &[u8], bytes: &mut Vec<u8>) {
        for value in text.iter().filter_map(|&letter| value(letter)) {
            self.bits = self.bits << 6 | value;
            self.count += 6;
            if self.count >= 8 {
                self.count -= 8;
                bytes.push((self.bits >> self.count) as u8);
            }
        }
    }
}

/// Decodes a whole text.
pub(crate) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    Base64::default().push(text, &mut bytes);
    bytes
}

/// Whether all of `text` could be base64.
pub(crate) fn is_base64(text: &[u8]) -> bool {
    text.iter()
        .all(|&byte| value(byte).is_some() || byte == b'=' || byte.is_ascii_whitespace())
}

/// The positions of long runs of base64 letters in a text.
pub(crate) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].iter().position(|byte| value(*byte).is_some())?;
            let rest = &text[start..];
            let length = rest.iter().position(|byte| value(*byte).is_none());
            let end = start + length.unwrap_or(rest.len());
            at = end;
            if end - start >= SHORTEST_RUN {
                return Some(start..end);
            }
        }
        None
    })
}

/// `bytes` as text, padded.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() {
                letter.into()
            } else {
                '='
            });
        }
    }
    text
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let cases = [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYmE", "fooba"),
            ("Zm9v\nYmFy", "foobar"),
        ];
        for (text, expected) in cases {
            let mut bytes = Vec::new();
            let mut decoder = Base64::default();
            text.bytes()
                .for_each(|letter| decoder.push(&[letter], &mut bytes));
            assert_eq!(bytes, expected.as_bytes());
            assert_eq!(decode(text.as_bytes()), expected.as_bytes());
        }
        let padded = ["Zg==", "Zm8=", "Zm9v", "Zm9vYg=="];
        for (length, expected) in padded.into_iter().enumerate() {
            assert_eq!(encode(&b"foob"[..=length]), expected);
        }
        assert_eq!(decode(b"+/+/"), [0xfb, 0xff, 0xbf]);
        assert!(is_base64(b"H4sI\nAAA=") && !is_base64(b"{\"a\""));
    }

    #[test]
    fn long_runs_are_found() {
        let run = "A".repeat(40);
        let text = format!("short {run}== and more\n{run}");
        let found: Vec<_> = runs(text.as_bytes()).collect();
        assert_eq!(found, [6..46, 58..98]);
    }
}
