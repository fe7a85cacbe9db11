//! SWAR: processes eight bytes of text at once, as a number whose lowest byte is the first.

/// The eight bytes at `at`; bytes beyond the end are zeros. `None` if `at` is at the end.
#[inline(always)]
pub(super) fn load8(text: &[u8], at: usize) -> Option<u64> {
    match text.get(at..)?.first_chunk() {
        Some(eight) => Some(u64::from_le_bytes(*eight)),
        None => last_bytes(text, at),
    }
}

/// Like [`load8`], near the end of the text.
#[inline(never)]
fn last_bytes(text: &[u8], at: usize) -> Option<u64> {
    let left = text.len().checked_sub(at).filter(|left| *left > 0)?;
    if let Some(last) = text.last_chunk() {
        return Some(u64::from_le_bytes(*last) >> (64 - 8 * left));
    }
    // Combines both ends of a short text. Where they overlap, both have the same bytes.
    let ends = match ends(text) {
        Some(ends) => {
            let [first, last] = ends.map(|four| u64::from(u32::from_le_bytes(*four)));
            first | last << (8 * (text.len() - 4))
        }
        None => text
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    };
    Some(ends >> (8 * at))
}

/// The same byte eight times.
#[inline]
pub(super) const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Marks zero bytes. The lowest bit set belongs to the first one; bytes after it may be marked
/// wrongly.
#[inline]
pub(super) fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(splat(1)) & !word & splat(0x80)
}

/// The number of bytes before the first one marked by its highest bit; 8 if none is.
#[inline(always)]
pub(super) fn bytes_before(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// The position of the first of two bytes at or after `at`. It is meant for words, which are too
/// short for a search with a setup cost.
#[inline]
pub(super) fn find_either(text: &[u8], at: usize, bytes: [u8; 2]) -> Option<usize> {
    let [one, other] = bytes.map(splat);
    let mut at = at;
    while let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*eight);
        let found = zero_bytes(word ^ one) | zero_bytes(word ^ other);
        if found != 0 {
            return Some(at + bytes_before(found));
        }
        at += 8;
    }
    let rest = text.get(at..)?;
    Some(at + rest.iter().position(|byte| bytes.contains(byte))?)
}

/// Whether two short texts are equal. It avoids the function call of a slice comparison.
#[inline(always)]
pub(super) fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(a_end), Some(b_end)) => {
            let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
            a_end == b_end && a.iter().zip(b).all(|(a, b)| a == b)
        }
        _ => match (ends(a), ends(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a.iter().zip(b).all(|(a, b)| a == b),
        },
    }
}

/// A hash of a short text, computed from its ends and its length.
#[inline]
pub(super) fn hash_ends(text: &[u8]) -> u32 {
    let ends = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(5) ^ u64::from_le_bytes(*last)
        }
        _ => text.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
    };
    ((ends ^ text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// The first and the last four bytes, which may overlap.
#[inline(always)]
fn ends(text: &[u8]) -> Option<[&[u8; 4]; 2]> {
    Some([text.first_chunk()?, text.last_chunk()?])
}

/// Parses the number at the start of eight bytes. Also returns how many digits it has.
///
/// ```text
/// bytes  '1' '2' '3' ' ' 'x' …        the first byte that is not a digit ends it
/// moved   0   0   0   0   0   1   2   3
/// ```
#[inline(always)]
pub(super) fn leading_digits(word: u64) -> (u64, usize) {
    let value = word ^ splat(b'0');
    let count = bytes_before(non_digits(value));
    let moved = value.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    (u64::from(parse_eight(moved)), count)
}

/// Marks bytes that are not 0 to 9. Bytes after the first one may be marked wrongly.
#[inline(always)]
pub(super) fn non_digits(value: u64) -> u64 {
    (value.wrapping_add(splat(0x76)) | value) & splat(0x80)
}

/// The value of eight digits, the first one in the lowest byte.
///
/// ```text
/// digits  1 2 3 4 5 6 7 8
/// pairs   12  34  56  78
/// fours   1234    5678      ->  12345678
/// ```
#[inline(always)]
pub(super) fn parse_eight(digits: u64) -> u32 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_end_is_zero() {
        let text = b"0123456789";
        assert_eq!(load8(text, 0), Some(u64::from_le_bytes(*b"01234567")));
        assert_eq!(load8(text, 7), Some(u64::from_le_bytes(*b"789\0\0\0\0\0")));
        assert_eq!(load8(text, 9), Some(u64::from(b'9')));
        assert_eq!((load8(text, 10), load8(text, 11)), (None, None));
        for len in 1..10 {
            for at in 0..len {
                let expected = (at..len)
                    .rev()
                    .fold(0, |all, nth| all << 8 | u64::from(text[nth]));
                assert_eq!(load8(&text[..len], at), Some(expected), "{len} {at}");
            }
        }
    }

    #[test]
    fn the_first_of_two_bytes_is_found() {
        for before in ["", "x", "1234567", "12345678", "123456789abcdefghij"] {
            for found in [":", " ", ": ", " :       "] {
                let text = format!("{before}{found}");
                let place = find_either(text.as_bytes(), 0, *b": ");
                assert_eq!(place, Some(before.len()), "{text:?}");
            }
            assert_eq!(find_either(before.as_bytes(), 0, *b": "), None);
        }
    }

    #[test]
    fn texts_are_the_same_or_not() {
        let text = b"0123456789abcdefghij";
        for from in 0..text.len() {
            for to in from..text.len() {
                let part = &text[from..to];
                let same = part.to_vec();
                assert!(same_bytes(part, &same));
                for at in 0..part.len() {
                    let mut other = part.to_vec();
                    other[at] = b'_';
                    assert!(!same_bytes(part, &other));
                }
            }
        }
        assert!(!same_bytes(b"a", b"ab"));
    }
}
