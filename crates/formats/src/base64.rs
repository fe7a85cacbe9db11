//! Finds base64 (RFC 4648) inside text.

use std::ops::Range;

use traceloom_report::Base64Decoder;

/// Runs shorter than this are words, not data.
const SHORTEST_RUN: usize = 32;

/// Decodes `text`, skipping what is not base64.
pub(crate) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    Base64Decoder::default().push(text, &mut bytes);
    bytes
}

/// Whether all of `text` could be base64.
pub(crate) fn is_base64(text: &[u8]) -> bool {
    text.iter()
        .all(|&byte| is_letter(byte) || byte == b'=' || byte.is_ascii_whitespace())
}

/// The positions of long runs of base64 letters in a text.
pub(crate) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].iter().position(|byte| is_letter(*byte))?;
            let rest = &text[start..];
            let length = rest.iter().position(|byte| !is_letter(*byte));
            let end = start + length.unwrap_or(rest.len());
            at = end;
            if end - start >= SHORTEST_RUN {
                return Some(start..end);
            }
        }
        None
    })
}

/// Whether `byte` is in the base64 alphabet.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_base64() {
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
