//! Numbers as C's `atoi` and `strtoul(…, 0)` read them: the key section and `-t` go through these
//! in the original, so signs, octal, overflow and trailing text have to come out the same.

/// C's `isspace` in the C locale.
fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Splits leading white space and a sign off; `true` is minus.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    let start = text.iter().take_while(|b| is_space(b)).count();
    match text[start..].split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, &text[start..]),
    }
}

/// `atoi`: decimal, stops at the first other character; out of range saturates at 64 bits and is
/// then cut to 32, as glibc does.
pub(super) fn atoi(text: &[u8]) -> i32 {
    let (negative, digits) = sign(text);
    let mut value = 0i64;
    for digit in digits.iter().take_while(|b| b.is_ascii_digit()) {
        let digit = i64::from(digit - b'0');
        value = value.saturating_mul(10);
        value = if negative {
            value.saturating_sub(digit)
        } else {
            value.saturating_add(digit)
        };
    }
    value as i32
}

/// `strtoul` with base 0: the value and how many bytes it took (0: no number there).
pub(super) fn strtoul(text: &[u8]) -> (u64, usize) {
    let (negative, digits) = sign(text);
    let before = text.len() - digits.len();
    let (radix, prefix) = match digits {
        [b'0', b'x' | b'X', d, ..] if d.is_ascii_hexdigit() => (16, 2),
        [b'0', ..] => (8, 0),
        _ => (10, 0),
    };
    let mut value = Some(0u64);
    let mut taken = 0;
    for &byte in &digits[prefix..] {
        let Some(digit) = (byte as char).to_digit(radix) else {
            break;
        };
        value = value
            .and_then(|v| v.checked_mul(u64::from(radix)))
            .and_then(|v| v.checked_add(u64::from(digit)));
        taken += 1;
    }
    if taken == 0 {
        return (0, 0);
    }
    let value = match (value, negative) {
        (None, _) => u64::MAX,
        (Some(v), true) => v.wrapping_neg(),
        (Some(v), false) => v,
    };
    (value, before + prefix + taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoi_reads_as_c_does() {
        for (text, want) in [
            ("12abc", 12),
            ("  -7", -7),
            ("", 0),
            ("x", 0),
            ("+3", 3),
            ("4294967297", 1),
            ("99999999999999999999", -1),
            ("-99999999999999999999", 0),
        ] {
            assert_eq!(atoi(text.as_bytes()), want, "{text:?}");
        }
    }

    #[test]
    fn strtoul_reads_as_c_does() {
        for (text, want) in [
            ("0x10", (16, 4)),
            ("010", (8, 3)),
            ("09", (0, 1)),
            ("0x", (0, 1)),
            ("0xg", (0, 1)),
            ("-1", (u64::MAX, 2)),
            (" 5z", (5, 2)),
            ("", (0, 0)),
            ("-", (0, 0)),
            ("99999999999999999999", (u64::MAX, 20)),
            ("-99999999999999999999", (u64::MAX, 21)),
        ] {
            assert_eq!(strtoul(text.as_bytes()), want, "{text:?}");
        }
    }
}
