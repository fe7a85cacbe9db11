//! Completes a text that ends early, so that everything before its last value can be read.

/// The text without its last value, which may be incomplete, and with all brackets closed. `None` if it is complete.
pub(super) fn completed(text: &[u8]) -> Option<Vec<u8>> {
    let mut open = Vec::new();
    // The end of the last value or bracket.
    let mut end = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => match string_end(text, at + 1) {
                Some(after) => at = after - 1,
                None => break,
            },
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop();
            }
            _ => {}
        }
        at += 1;
        if matches!(text[at - 1], b',' | b'{' | b'[' | b'}' | b']') {
            end = at;
        }
    }
    if open.is_empty() {
        return None;
    }
    let mut whole = text[..end].to_vec();
    whole.extend(open.iter().rev());
    Some(whole)
}

/// The position after the string whose text begins at `at`.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_dropped_and_brackets_are_closed() {
        let completed = |text: &str| {
            let whole = completed(text.as_bytes())?;
            Some(String::from_utf8(whole).unwrap())
        };
        assert_eq!(completed(r#"{"a": [1, 2], "b": "}"}"#), None);
        assert_eq!(completed(r#"{"a": [1, 23"#).unwrap(), r#"{"a": [1,]}"#);
        assert_eq!(completed(r#"{"a": [{"b": "c\"#).unwrap(), r#"{"a": [{}]}"#);
        assert_eq!(completed(r#"{"a": 1, "b"#).unwrap(), r#"{"a": 1,}"#);
        assert_eq!(
            completed(r#"{"a": {"b": [1]"#).unwrap(),
            r#"{"a": {"b": [1]}}"#
        );
    }
}
