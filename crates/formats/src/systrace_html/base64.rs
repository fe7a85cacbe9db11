//! Base64 (RFC 4648), pushed: trace2html packs its data so.

/// Decodes base64 as it comes. Line ends and anything else that is not of the alphabet are
/// passed over.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    bits: u32,
    count: u32,
}

impl Base64 {
    /// Takes text; the bytes it stands for go to `bytes`.
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

/// Whether all of `text` could be base64.
pub(super) fn is_base64(text: &[u8]) -> bool {
    text.iter()
        .all(|&byte| value(byte).is_some() || byte == b'=' || byte.is_ascii_whitespace())
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
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9v\nYmFy", "foobar"),
        ];
        for (text, expected) in cases {
            let mut bytes = Vec::new();
            let mut decoder = Base64::default();
            text.bytes()
                .for_each(|letter| decoder.push(&[letter], &mut bytes));
            assert_eq!(bytes, expected.as_bytes());
        }
        assert!(is_base64(b"H4sI\nAAA=") && !is_base64(b"{\"a\""));
    }
}
