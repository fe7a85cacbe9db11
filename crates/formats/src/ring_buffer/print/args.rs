//! Splits the arguments of a print format.

/// Splits at commas outside brackets and quotes.
pub(super) fn split_args(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' | b'\'' => skip_quoted(&mut bytes, byte),
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn skip_quoted(bytes: &mut impl Iterator<Item = (usize, u8)>, quote: u8) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            _ if byte == quote => return,
            _ => {}
        }
    }
}

/// Parses one or more adjacent string literals of C; `None` for anything else.
pub(super) fn literal(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text.trim().as_bytes();
    while !rest.is_empty() {
        let mut at = 0;
        rest = rest.strip_prefix(b"\"")?;
        loop {
            match *rest.get(at)? {
                b'"' => break,
                b'\\' => {
                    out.push(unescape(*rest.get(at + 1)?));
                    at += 2;
                }
                byte => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
        rest = rest[at + 1..].trim_ascii_start();
    }
    Some(out)
}

fn unescape(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_and_quotes_do_not_split() {
        let text = r#""a=%d, \"b\"", f(REC->a, {1, "x,y"}), ',', (c ? "," : "")"#;
        let parts = split_args(text);
        assert_eq!(parts.len(), 4, "{parts:?}");
        assert_eq!(literal(parts[0]).unwrap(), b"a=%d, \"b\"");
        assert_eq!(literal("\"a\" \"b\\n\"").unwrap(), b"ab\n");
        assert_eq!(literal("REC->a"), None);
    }
}
