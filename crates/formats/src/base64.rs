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

/// Decodes a text that is base64 from its first byte: lines of letters, with padding only at the
/// very end. Returns `None` for any other text. `whole` means that nothing follows.
pub(crate) fn strictly(text: &[u8], whole: bool) -> Option<Vec<u8>> {
    let mut letters = text.trim_ascii();
    if whole {
        letters = unpadded(letters);
    }
    let is_line = |line: &[u8]| line.trim_ascii().iter().all(|&byte| is_letter(byte));
    let count = letters.iter().filter(|&&byte| is_letter(byte)).count();
    // A single letter encodes less than one byte.
    let ends = !whole || count % 4 != 1;
    let is_base64 = count > 0 && ends && letters.split(|&byte| byte == b'\n').all(is_line);
    is_base64.then(|| decode(letters))
}

/// Removes up to two `=` from the end of a text.
fn unpadded(text: &[u8]) -> &[u8] {
    let once = text.strip_suffix(b"=").unwrap_or(text).trim_ascii_end();
    once.strip_suffix(b"=").unwrap_or(once).trim_ascii_end()
}

/// Whether a byte may occur in base64.
pub(crate) fn is_allowed(byte: u8) -> bool {
    is_letter(byte) || byte == b'=' || byte.is_ascii_whitespace()
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
        let whole = |text: &str| strictly(text.as_bytes(), true);
        assert_eq!(whole("\n Zm9v\r\n Zm8=\n").unwrap(), b"foofo");
        assert_eq!(whole("Zg==").unwrap(), b"f");
        for text in [
            "",
            "\n",
            "Zm9vZ",
            "Zm9v YmFy",
            "Zm=v",
            "Z===",
            "{\"a\"",
            "PROCESS DUMP",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
        assert_eq!(strictly(b"Zm9vY", false).unwrap(), b"foo");
        assert_eq!(strictly(b"Zg==", false), None);
    }

    #[test]
    fn long_runs_are_found() {
        let run = "A".repeat(40);
        let text = format!("short {run}== and more\n{run}");
        let found: Vec<_> = runs(text.as_bytes()).collect();
        assert_eq!(found, [6..46, 58..98]);
    }
}
