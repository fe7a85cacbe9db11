//! Base64 as ART writes it (RFC 4648, one line, padded).

use std::ops::Range;

/// Runs shorter than this hold no block: its header and the shortest packets are longer.
const SHORTEST: usize = 32;

fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Where long runs of base64 characters stand in a text.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].iter().position(|byte| value(*byte).is_some())?;
            let rest = &text[start..];
            let length = rest.iter().position(|byte| value(*byte).is_none());
            let end = start + length.unwrap_or(rest.len());
            at = end;
            if end - start >= SHORTEST {
                return Some(start..end);
            }
        }
        None
    })
}

/// The bytes behind a run of characters that [`runs`] found. Bits that make no byte are dropped.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for group in text.chunks(4) {
        let bits = group.iter().filter_map(|byte| value(*byte));
        let word = bits.fold(0, |word, value| word << 6 | value) << (6 * (4 - group.len()));
        bytes.extend(&word.to_be_bytes()[1..group.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648.
    #[test]
    fn vectors_of_the_standard() {
        for (text, bytes) in [
            ("Zg", "f"),
            ("Zm8", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYmE", "fooba"),
        ] {
            assert_eq!(decode(text.as_bytes()), bytes.as_bytes());
        }
        assert_eq!(decode(b"+/+/"), [0xfb, 0xff, 0xbf]);
    }

    #[test]
    fn long_runs_are_found() {
        let run = "A".repeat(40);
        let text = format!("short {run}== and more\n{run}");
        let found: Vec<_> = runs(text.as_bytes()).collect();
        assert_eq!(found, [6..46, 58..98]);
    }
}
