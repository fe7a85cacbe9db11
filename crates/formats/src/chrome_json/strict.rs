//! Whether a text is JSON in every detail. The reader itself accepts more.

/// Deeper values are not accepted.
const DEEPEST: usize = 64;

/// Whether the whole text is one JSON value. Its encoding is not checked.
pub(super) fn is_json(text: &[u8]) -> bool {
    value(text, DEEPEST).is_some_and(|rest| blank(rest).is_empty())
}

fn blank(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    &text[blanks..]
}

/// The text after a value.
fn value(text: &[u8], deepest: usize) -> Option<&[u8]> {
    let text = blank(text);
    match text.first()? {
        b'{' | b'[' => items(text, deepest.checked_sub(1)?),
        b'"' => string(text),
        b't' => text.strip_prefix(b"true"),
        b'f' => text.strip_prefix(b"false"),
        b'n' => text.strip_prefix(b"null"),
        _ => number(text),
    }
}

/// The text after an object or a list.
fn items(text: &[u8], deepest: usize) -> Option<&[u8]> {
    let is_object = text.first() == Some(&b'{');
    let end = if is_object { b'}' } else { b']' };
    let mut rest = blank(&text[1..]);
    if rest.first() == Some(&end) {
        return Some(&rest[1..]);
    }
    loop {
        if is_object {
            rest = blank(string(blank(rest))?).strip_prefix(b":")?;
        }
        rest = blank(value(rest, deepest)?);
        match rest.split_first()? {
            (b',', after) => rest = after,
            (byte, after) if *byte == end => return Some(after),
            _ => return None,
        }
    }
}

fn string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        rest = match rest {
            [b'"', after @ ..] => return Some(after),
            [b'\\', b'u', a, b, c, d, after @ ..] => {
                let digits = [a, b, c, d];
                digits
                    .iter()
                    .all(|byte| byte.is_ascii_hexdigit())
                    .then_some(after)?
            }
            [b'\\', escaped, after @ ..] => b"\"\\/bfnrt".contains(escaped).then_some(after)?,
            [0x20..=0xff, after @ ..] => after,
            _ => return None,
        };
    }
}

fn number(text: &[u8]) -> Option<&[u8]> {
    let whole = text.strip_prefix(b"-").unwrap_or(text);
    let mut rest = match whole {
        [b'0', after @ ..] => after,
        other => digits(other)?,
    };
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = digits(fraction)?;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = digits(match after {
            [b'+' | b'-', after @ ..] => after,
            after => after,
        })?;
    }
    Some(rest)
}

/// The text after at least one digit.
fn digits(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(&text[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What serde_json says; a text that it refuses for its depth only does not occur here.
    fn is_known(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok()
    }

    #[test]
    fn values_and_what_only_looks_like_one() {
        for text in [
            "{}",
            "[]",
            " [1, -0.5e+3, {\"a\": [true, false, null]}] ",
            "{\"a\":}",
            "[1,]",
            "{a:1}",
            "[01]",
            "[.5]",
            "[1.]",
            "[+1]",
            "[\"\\x\"]",
            "[\"\\u00e9\"]",
            "[\"\\u00g9\"]",
            "[1 2]",
            "{\"a\" 1}",
            "[nul]",
            "[",
            "]",
            "[\"a\nb\"]",
            "{\"a\":1}}",
            "[1e]",
            "",
        ] {
            assert_eq!(is_json(text.as_bytes()), is_known(text), "{text}");
        }
        let deep = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(is_json(deep(DEEPEST).as_bytes()));
        assert!(!is_json(deep(DEEPEST + 1).as_bytes()));
        assert!(!is_json(deep(1 << 20).as_bytes()));
    }

    proptest! {
        #[test]
        fn it_agrees_with_another_reader(text in "[\\[\\]{}:,\"\\\\ua1e.tru -]{0,12}") {
            // Numbers too large for a float are JSON, but serde_json refuses them.
            let has_exponent = text.contains('e');
            let agrees = is_json(text.as_bytes()) == is_known(&text);
            prop_assert!(agrees || has_exponent, "{}", text);
        }
    }
}
