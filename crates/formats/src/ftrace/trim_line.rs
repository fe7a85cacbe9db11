//! Removes what other writers put around a line.

/// Removes characters that line-end conversions, JavaScript string literals and CSV quotes add to a line, and what is
/// put before it: a byte order mark, and the kernel log's time of an oops (`ftrace_dump`).
#[inline]
pub(super) fn trim_line(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = text {
        text = rest;
    }
    match text {
        [rest @ .., b'\\', b'n', b'\\'] => rest,
        [b'"', rest @ .., b'"'] => rest,
        [b'[' | b'<' | 0xEF, ..] => without_front(text),
        _ => text,
    }
}

#[inline(never)]
fn without_front(text: &[u8]) -> &[u8] {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    text.strip_prefix(BOM)
        .or_else(|| after_log_time(text))
        .unwrap_or(text)
}

/// The text after `<4>[   12.345678][    T0] `, of which only the time is always there.
fn after_log_time(text: &[u8]) -> Option<&[u8]> {
    let level = text.strip_prefix(b"<").and_then(|level| {
        let end = level.iter().position(|byte| !byte.is_ascii_digit())?;
        level[end..].strip_prefix(b">")
    });
    let (time, rest) = bracketed(level.unwrap_or(text))?;
    let (seconds, micros) = time.split_at_checked(time.len().checked_sub(7)?)?;
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_time =
        is_number(seconds.trim_ascii_start()) && micros.strip_prefix(b".").is_some_and(is_number);
    let caller = bracketed(rest).map(|(_, rest)| rest);
    let rest = caller.unwrap_or(rest);
    is_time.then(|| rest.strip_prefix(b" ").unwrap_or(rest))
}

fn bracketed(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', inner)?;
    Some((&inner[..end], &inner[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_a_line() {
        for line in [
            "\u{feff}a-1 [000] 1.0: x",
            "[   12.345678] a-1 [000] 1.0: x",
            "[12345.345678][    T0] a-1 [000] 1.0: x",
            "<4>[   12.345678] a-1 [000] 1.0: x\r",
            "\"a-1 [000] 1.0: x\"",
        ] {
            assert_eq!(trim_line(line.as_bytes()), b"a-1 [000] 1.0: x", "{line}");
        }
        for line in [
            "[12] x",
            "[kworker]-1 [000] 1.0: x",
            "<idle>-0",
            "<...>-1",
            "[ab.345678] x",
            "[",
            "<4>",
            "<",
        ] {
            assert_eq!(trim_line(line.as_bytes()), line.as_bytes());
        }
    }
}
