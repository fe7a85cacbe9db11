//! The string literal of the oldest pages: every line ends in `\n\`, the last in `\n";`.
//!
//! Only line ends were escaped.

/// Decodes the literal in chunks.
#[derive(Debug, Default)]
pub(super) struct JsLines {
    /// The end of the current line, which may belong to its escape.
    held: Vec<u8>,
    /// Whether a part of the current line was already decoded.
    in_line: bool,
    over: bool,
}

/// Longer than any escape at a line end: `\n";` and `\r\r`.
const HELD: usize = 8;

impl JsLines {
    /// Appends the text of `bytes` to `plain`. Everything after the literal is dropped.
    pub fn push(&mut self, bytes: &[u8], plain: &mut Vec<u8>) {
        let mut rest = bytes;
        while let (false, Some(end)) = (self.over, memchr::memchr(b'\n', rest)) {
            if self.held.is_empty() {
                self.line(&rest[..end], plain);
            } else {
                self.held.extend_from_slice(&rest[..end]);
                let line = std::mem::take(&mut self.held);
                self.line(&line, plain);
            }
            rest = &rest[end + 1..];
        }
        if self.over {
            return;
        }
        self.held.extend_from_slice(rest);
        if self.held.len() > HELD {
            let given = self.held.len() - HELD;
            plain.extend(self.held.drain(..given));
            self.in_line = true;
        }
    }

    /// Ends the input. The held bytes are a line without an end.
    pub fn finish(&mut self, plain: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        if self.over || held.is_empty() {
            return;
        }
        match unescaped(&held) {
            Some((text, _)) => {
                plain.extend_from_slice(text);
                plain.push(b'\n');
            }
            None => plain.extend_from_slice(&held),
        }
    }

    fn line(&mut self, line: &[u8], plain: &mut Vec<u8>) {
        let started = std::mem::take(&mut self.in_line);
        if !started && line.trim_ascii() == b"\";" {
            self.over = true;
            return;
        }
        let (text, last) = unescaped(line).unwrap_or((line, false));
        plain.extend_from_slice(text);
        plain.push(b'\n');
        self.over = last;
    }
}

/// A line without the escape at its end, and whether it is the last.
fn unescaped(line: &[u8]) -> Option<(&[u8], bool)> {
    let end = line.iter().rposition(|&byte| byte != b'\r')? + 1;
    let line = &line[..end];
    match line.strip_suffix(b"\\n\\") {
        Some(text) => Some((text, false)),
        None => Some((line.strip_suffix(b"\\n\";")?, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &[u8], chunk: usize) -> String {
        let (mut lines, mut plain) = (JsLines::default(), Vec::new());
        input
            .chunks(chunk)
            .for_each(|chunk| lines.push(chunk, &mut plain));
        lines.finish(&mut plain);
        String::from_utf8(plain).unwrap()
    }

    #[test]
    fn line_ends_are_unescaped_wherever_chunks_end() {
        let cases = [
            (
                "a long line\\n\\\nb\\n\\\n\\n\\\nlast\\n\";\n more js;\n",
                "a long line\nb\n\nlast\n",
            ),
            ("raw\nlines\n  ", "raw\nlines\n  "),
            ("crlf\\n\\\r\nend\\n\";\r\njs", "crlf\nend\n"),
            ("one\\n\\\n\";\njs", "one\n"),
            ("a path C:\\new\nno end", "a path C:\\new\nno end"),
            ("cut\\n\\", "cut\n"),
        ];
        for (input, expected) in cases {
            for chunk in 1..12 {
                assert_eq!(text(input.as_bytes(), chunk), expected, "chunks of {chunk}");
            }
        }
    }
}
