//! Eight bytes of text at once, as a number with the first byte lowest.

/// The eight bytes at `at`, those beyond the text's end as zeros; `None` where there are none.
#[inline(always)]
pub(super) fn eight(text: &[u8], at: usize) -> Option<u64> {
    match text.get(at..)?.first_chunk() {
        Some(eight) => Some(u64::from_le_bytes(*eight)),
        None => last_bytes(text, at),
    }
}

/// As [`eight`], where the text ends before them.
#[inline(never)]
fn last_bytes(text: &[u8], at: usize) -> Option<u64> {
    let left = text.len().checked_sub(at).filter(|left| *left > 0)?;
    if let Some(last) = text.last_chunk() {
        return Some(u64::from_le_bytes(*last) >> (64 - 8 * left));
    }
    // Both ends of a short text, which may overlap: equal bytes meet there.
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

/// Eight times the same byte.
#[inline]
pub(super) const fn eight_times(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The lowest bit set is that of the first byte, the lowest one, that is zero.
#[inline]
pub(super) fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(eight_times(1)) & !word & eight_times(0x80)
}

/// How many bytes of a word stand before the first one whose highest bit is set in `marks`; 8
/// where there is none.
#[inline(always)]
pub(super) fn bytes_before(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Where the first of two bytes stands at or after `at`; `None` where there is none. For words,
/// which are too short for a search that has to be set up.
#[inline]
pub(super) fn find_either(text: &[u8], at: usize, bytes: [u8; 2]) -> Option<usize> {
    let [one, other] = bytes.map(eight_times);
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

/// Whether two short texts are equal, without the call that comparing slices is.
#[inline(always)]
pub(super) fn is_same(a: &[u8], b: &[u8]) -> bool {
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

/// A hash of a short text: of its ends and its length.
#[inline]
pub(super) fn ends_hash(text: &[u8]) -> u32 {
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

/// The number that eight bytes begin with, and how many digits it has.
///
/// ```text
/// bytes  '1' '2' '3' ' ' 'x' …        the first byte that is no digit ends it
/// moved   0   0   0   0   0   1   2   3
/// ```
#[inline(always)]
pub(super) fn leading_digits(eight: u64) -> (u64, usize) {
    let value = eight ^ eight_times(b'0');
    let count = bytes_before(no_digits(value));
    let moved = value.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    (u64::from(eight_digits(moved)), count)
}

/// Marks the first byte that is no number from 0 to 9; bytes behind it may be marked too.
#[inline(always)]
pub(super) fn no_digits(value: u64) -> u64 {
    (value.wrapping_add(eight_times(0x76)) | value) & eight_times(0x80)
}

/// The number of eight digits, the first one in the lowest byte.
///
/// ```text
/// digits  1 2 3 4 5 6 7 8
/// pairs   12  34  56  78
/// fours   1234    5678      ->  12345678
/// ```
#[inline(always)]
pub(super) fn eight_digits(digits: u64) -> u32 {
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
        assert_eq!(eight(text, 0), Some(u64::from_le_bytes(*b"01234567")));
        assert_eq!(eight(text, 7), Some(u64::from_le_bytes(*b"789\0\0\0\0\0")));
        assert_eq!(eight(text, 9), Some(u64::from(b'9')));
        assert_eq!((eight(text, 10), eight(text, 11)), (None, None));
        for len in 1..10 {
            for at in 0..len {
                let expected = (at..len)
                    .rev()
                    .fold(0, |all, nth| all << 8 | u64::from(text[nth]));
                assert_eq!(eight(&text[..len], at), Some(expected), "{len} {at}");
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
                assert!(is_same(part, &same));
                for at in 0..part.len() {
                    let mut other = part.to_vec();
                    other[at] = b'_';
                    assert!(!is_same(part, &other));
                }
            }
        }
        assert!(!is_same(b"a", b"ab"));
    }
}
