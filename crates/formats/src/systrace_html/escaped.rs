//! The text of a block in a page.

use std::io::{self, Write};

const END: &[u8] = b"</script";

/// Writes a part of a page's data. `</script` is the only text that could end it early; it becomes
/// `<\/script`. It does not occur in systrace's pages.
#[derive(Debug, Default)]
pub(crate) struct Escaped {
    /// The end of what was written so far, if it may be the beginning of the tag.
    held: Vec<u8>,
}

impl Escaped {
    /// Writes the next bytes.
    pub fn write(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let joined;
        let mut rest = if self.held.is_empty() {
            bytes
        } else {
            self.held.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.held);
            &joined[..]
        };
        while let Some(start) = find_end(rest) {
            if rest.len() - start < END.len() {
                self.held = rest[start..].to_vec();
                return out.write_all(&rest[..start]);
            }
            out.write_all(&rest[..=start])?;
            out.write_all(b"\\")?;
            rest = &rest[start + 1..];
        }
        out.write_all(rest)
    }

    /// Writes what was held back.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&std::mem::take(&mut self.held))
    }
}

/// Where the tag begins, which may be cut off by the end of `text`.
fn find_end(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text).find(|&start| {
        let tag = &text[start..text.len().min(start + END.len())];
        tag.eq_ignore_ascii_case(&END[..tag.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::Escaped;

    #[test]
    fn the_tag_is_found_wherever_chunks_end() {
        let text = b"a<b</SCRIPT></script><</scrip</script";
        let expected = b"a<b<\\/SCRIPT><\\/script><</scrip<\\/script";
        for size in 1..=text.len() {
            let (mut escaped, mut out) = (Escaped::default(), Vec::new());
            for chunk in text.chunks(size) {
                escaped.write(chunk, &mut out).unwrap();
            }
            escaped.finish(&mut out).unwrap();
            assert_eq!(
                out.escape_ascii().to_string(),
                expected.escape_ascii().to_string()
            );
        }
    }
}
