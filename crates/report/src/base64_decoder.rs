//! A streaming base64 decoder (RFC 4648) that skips whatever is not base64. The `base64` crate's decoders
//! reject such text, need whole groups of four, or pull from a reader.

/// Decodes base64 in chunks of any length. Line breaks, padding and other characters outside the
/// alphabet are skipped; leftover bits at the end are dropped.
#[derive(Debug, Default)]
pub struct Base64Decoder {
    bits: u32,
    count: u32,
}

impl Base64Decoder {
    /// Decodes `text` and appends the bytes to `bytes`.
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
    fn examples_of_the_standard() {
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
            let mut decoder = Base64Decoder::default();
            text.bytes()
                .for_each(|letter| decoder.push(&[letter], &mut bytes));
            assert_eq!(bytes, expected.as_bytes());
        }
        let mut bytes = Vec::new();
        Base64Decoder::default().push(b"+/+/", &mut bytes);
        assert_eq!(bytes, [0xfb, 0xff, 0xbf]);
    }
}
