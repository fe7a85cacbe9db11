//! Numbers in text, without floats.

use super::swar::{bytes_before, leading_digits, load8, parse_eight, splat};
use super::swar::{non_digits, zero_bytes};

/// Parses decimal digits at `at`. Returns the number and where it ends; `None` if there is no
/// digit, or more than 18.
#[inline(always)]
pub(crate) fn digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    match leading_digits(load8(text, at)?) {
        (_, 0) => None,
        (value, count @ 1..8) => Some((value, at + count)),
        (high, _) => more_digits(text, at, high),
    }
}

/// Like [`digits`], for a number whose first eight digits have the value `high`.
#[inline(never)]
fn more_digits(text: &[u8], at: usize, high: u64) -> Option<(u64, usize)> {
    match load8(text, at + 8).map_or((0, 0), leading_digits) {
        (_, 8) => one_by_one(text, at),
        (low, count) => Some((high * POWERS_OF_10[count] + low, at + 8 + count)),
    }
}

static POWERS_OF_10: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

fn one_by_one(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut end = at;
    while let Some(&byte) = text.get(end) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        end += 1;
    }
    (end > at && end - at <= 18).then_some((value, end))
}

/// Parses a signed 32-bit number at `at`.
#[inline]
pub(crate) fn int32(text: &[u8], at: usize) -> Option<(i32, usize)> {
    let negative = text.get(at) == Some(&b'-');
    let (value, end) = digits(text, at + usize::from(negative))?;
    let value = i32::try_from(value).ok()?;
    Some((if negative { -value } else { value }, end))
}

/// Parses the six digits of a timestamp's fraction; `None` if one is not a digit.
#[inline]
pub(crate) fn six_digits(text: &[u8; 6]) -> Option<u32> {
    let [a, b, c, d, e, f] = *text;
    let word = u64::from_le_bytes([b'0', b'0', a, b, c, d, e, f]);
    let value = word ^ splat(b'0');
    if non_digits(value) != 0 {
        return None;
    }
    Some(parse_eight(value))
}

/// Parses a text that consists of a signed decimal number.
pub(crate) fn whole_int(text: &[u8]) -> Option<i64> {
    let (sign, number) = match text.first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    match digits(number, 0) {
        Some((value, end)) if end == number.len() => Some(sign * value as i64),
        // More than 18 digits may still fit; anything else is not a number.
        None if number.len() > 18 => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

/// Parses a text that consists of a hexadecimal number with `0x`.
pub(crate) fn whole_hex(text: &[u8]) -> Option<u64> {
    let number = text
        .strip_prefix(b"0x")
        .or_else(|| text.strip_prefix(b"0X"))?;
    bare_hex(number)
}

/// Parses a text that consists of a hexadecimal number without a prefix.
pub(crate) fn bare_hex(number: &[u8]) -> Option<u64> {
    if number.is_empty() || number.len() > 16 || !number.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0);
    Some(
        number
            .iter()
            .fold(0, |value, &byte| value << 4 | u64::from(digit(byte))),
    )
}

/// Parses seconds with a fraction of up to nine digits (`12.345678`) at `at`. Returns ns and where
/// the number ends. A number without a point counts ticks.
#[inline]
pub(crate) fn timestamp(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let (seconds, point) = digits(text, at)?;
    if text.get(point) != Some(&b'.') {
        return Some((seconds as i64, point));
    }
    let seconds_ns = i64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?;
    if let Some((six, after)) = text[point + 1..].split_first_chunk::<6>()
        && let (Some(us), false) = (
            six_digits(six),
            after.first().is_some_and(u8::is_ascii_digit),
        )
    {
        return Some((seconds_ns.checked_add(i64::from(us) * 1000)?, point + 7));
    }
    let (fraction, end) = digits(text, point + 1)?;
    let scale = 9u32.checked_sub((end - point - 1) as u32)?;
    Some((
        seconds_ns.checked_add(fraction as i64 * 10i64.pow(scale))?,
        end,
    ))
}

/// The position of the first space at or after `at`. It is meant for words, which are too short for
/// a search with a setup cost.
#[inline]
pub(crate) fn find_space(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(eight) = text.get(end..).and_then(|rest| rest.first_chunk()) {
        let spaces = zero_bytes(u64::from_le_bytes(*eight) ^ splat(b' '));
        end += bytes_before(spaces);
        if spaces != 0 {
            return Some(end);
        }
    }
    let rest = text.get(end..)?;
    Some(end + rest.iter().position(|&byte| byte == b' ')?)
}

/// The first position at or after `at` that is not a space or tab.
#[inline(always)]
pub(crate) fn skip_spaces(text: &[u8], at: usize) -> usize {
    // There is nearly always exactly one space.
    let is_space = |at: usize| matches!(text.get(at), Some(b' ' | b'\t'));
    if !is_space(at) {
        at
    } else if !is_space(at + 1) {
        at + 1
    } else {
        skip_many_spaces(text, at + 2)
    }
}

#[inline(never)]
fn skip_many_spaces(text: &[u8], mut at: usize) -> usize {
    // Padded columns have many.
    while let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let other = u64::from_le_bytes(*eight) ^ splat(b' ');
        at += bytes_before(other);
        if other != 0 {
            break;
        }
    }
    while matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_end_where_they_end() {
        let numbers = [
            "7",
            "1234567",
            "12345678",
            "123456789",
            "999999999999999999",
        ];
        for number in numbers {
            for behind in ["", " ", "/", ":", "\u{7f}", "é", "x0000000", "         1"] {
                let text = format!("ab{number}{behind}");
                let expected = Some((number.parse().unwrap(), 2 + number.len()));
                assert_eq!(digits(text.as_bytes(), 2), expected, "{text}");
            }
        }
        for text in ["", "x", "-1234567", "é1234567", "1234567890123456789"] {
            assert_eq!(digits(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(digits(b"12", 3), None);
    }

    #[test]
    fn spaces_are_found() {
        for before in [
            "",
            "x",
            "\u{a0}!\t",
            "1234567",
            "12345678",
            "123456789abcdefgh",
        ] {
            for behind in ["", "x", " ", "           "] {
                let text = format!("{before} {behind}");
                assert_eq!(
                    find_space(text.as_bytes(), 0),
                    Some(before.len()),
                    "{text:?}"
                );
            }
            assert_eq!(find_space(before.as_bytes(), 0), None);
        }
        assert_eq!(find_space(b" ", 5), None);
    }

    #[test]
    fn spaces_and_tabs_are_passed_over() {
        for spaces in [
            "",
            " ",
            "\t",
            "       ",
            "        ",
            " \t        \t\t  ",
            "                 ",
        ] {
            for behind in ["", "x", "x       ", "\n         "] {
                let text = format!("{spaces}{behind}");
                assert_eq!(skip_spaces(text.as_bytes(), 0), spaces.len(), "{text:?}");
            }
        }
        assert_eq!(skip_spaces(b"  ", 5), 5);
    }

    #[test]
    fn timestamps_are_integers() {
        let read = |text: &str| timestamp(text.as_bytes(), 0).map(|(ts, _)| ts);
        assert_eq!(read("1212.465062:"), Some(1_212_465_062_000));
        assert_eq!(read("0.000001:"), Some(1_000));
        assert_eq!(read("76.211513123:"), Some(76_211_513_123));
        assert_eq!(read("5.5:"), Some(5_500_000_000));
        assert_eq!(read("123456789012:"), Some(123_456_789_012));
        assert_eq!(read("1.:"), None);
        assert_eq!(read("9999999999.999999:"), None);
        assert_eq!(read("1.12345a:"), Some(1_123_450_000));
    }

    #[test]
    fn six_digits_are_read_at_once() {
        assert_eq!(six_digits(b"000000"), Some(0));
        assert_eq!(six_digits(b"123456"), Some(123_456));
        assert_eq!(six_digits(b"999999"), Some(999_999));
        for bad in [b"12345:", b" 23456", b"1234\xff6", b"12/456"] {
            assert_eq!(six_digits(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(whole_int(b"-17"), Some(-17));
        assert_eq!(whole_int(b"17x"), None);
        assert_eq!(whole_int(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(whole_int(b"18446744073709551600"), None);
        assert_eq!(whole_hex(b"0xff"), Some(255));
        assert_eq!(whole_hex(b"ff"), None);
    }
}
