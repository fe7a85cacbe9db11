//! C's `atoi` and `strtoul(…, 0)`. The original parses the key section and `-t` with them, so signs, octal numbers,
//! overflow and trailing text must give the same values.

/// Splits leading white space (C's `isspace`) and a sign off; `true` is minus.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let start = text.iter().take_while(is_space).count();
    match text[start..].split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, &text[start..]),
    }
}

/// The number at the start of `text`, and its digit count. The number is `None` if it needs more
/// than 64 bits.
fn digits(text: &[u8], radix: u32) -> (Option<u64>, usize) {
    let digits = text
        .iter()
        .map_while(|&byte| (byte as char).to_digit(radix));
    digits.fold((Some(0), 0), |(value, count), digit| {
        let value = value.and_then(|value| u64::checked_mul(value, radix.into()));
        (value.and_then(|v| v.checked_add(digit.into())), count + 1)
    })
}

/// `atoi`: decimal, up to the first other character; saturates at 64 bits and is then truncated to
/// 32, as in glibc.
pub(super) fn atoi(text: &[u8]) -> i32 {
    let (negative, rest) = sign(text);
    let (value, _) = digits(rest, 10);
    let value = value.map_or(i128::MAX, i128::from);
    let signed = if negative { -value } else { value };
    signed.clamp(i64::MIN.into(), i64::MAX.into()) as i32
}

/// `strtoul` with base 0: the value and the number of bytes read (0: there is no number).
pub(super) fn strtoul(text: &[u8]) -> (u64, usize) {
    let (negative, rest) = sign(text);
    let (radix, prefix) = match rest {
        [b'0', b'x' | b'X', d, ..] if d.is_ascii_hexdigit() => (16, 2),
        [b'0', ..] => (8, 0),
        _ => (10, 0),
    };
    let (value, count) = digits(&rest[prefix..], radix);
    if count == 0 {
        return (0, 0);
    }
    let value = match value {
        Some(value) if negative => value.wrapping_neg(),
        other => other.unwrap_or(u64::MAX),
    };
    (value, text.len() - rest.len() + prefix + count)
}
