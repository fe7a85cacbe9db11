//! Numbers in fields, made in a register: no loop whose end nobody can foresee, no byte that is read back right after
//! it was written.

/// Numbers from here on have more than eight digits.
pub(super) const TOO_MANY: u64 = 100_000_000;

/// A number below [`TOO_MANY`] as eight characters, with spaces in front.
#[inline]
pub(super) fn right_of_eight(value: u32) -> [u8; 8] {
    characters(value, 1).0.to_le_bytes()
}

/// The same with the spaces behind it.
#[inline]
pub(super) fn left_of_eight(value: u32) -> [u8; 8] {
    let (characters, spaces) = characters(value, 1);
    characters.rotate_right(spaces).to_le_bytes()
}

/// A number below 10⁷ in units of 10⁻ⁿ, where n is `DECIMALS`, as eight characters: spaces, the whole, a point and
/// the decimals.
#[inline]
pub(super) fn with_point<const DECIMALS: u32>(value: u32) -> [u8; 8] {
    // The whole has a digit, whatever it is.
    let (characters, _) = characters(value, DECIMALS + 1);
    let point = 8 * (7 - DECIMALS);
    let whole = characters >> 8 & ((1 << point) - 1);
    let decimals = characters & !((1 << (point + 8)) - 1);
    (whole | u64::from(b'.') << point | decimals).to_le_bytes()
}

/// Eight characters, the first in the lowest byte, at least `least` of them digits, and how many bits in front are spaces.
#[inline]
fn characters(value: u32, least: u32) -> (u64, u32) {
    let digits = digits(value);
    let spaces = (digits | 1 << (64 - 8 * least)).trailing_zeros() & !7;
    // A zero's character differs from a space in one bit.
    let leading = 0x1010_1010_1010_1010 & ((1 << spaces) - 1);
    (digits + 0x3030_3030_3030_3030 - leading, spaces)
}

/// Eight digits, a byte each, the first in the lowest: halves, their halves and their halves, each time all at once.
/// The products with a power of two over a power of ten are exact for numbers of so few digits.
#[inline]
fn digits(value: u32) -> u64 {
    let value = u64::from(value);
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

#[cfg(test)]
mod tests {
    use super::{TOO_MANY, left_of_eight, right_of_eight, with_point};

    fn assert_fields(value: u32) {
        let is = |field: [u8; 8], text: String| {
            assert_eq!(std::str::from_utf8(&field), Ok(&*text));
        };
        is(right_of_eight(value), format!("{value:8}"));
        is(left_of_eight(value), format!("{value:<8}"));
        if value < 10_000_000 {
            let tenths = format!("{}.{}", value / 10, value % 10);
            is(with_point::<1>(value), format!("{tenths:>8}"));
            let hundredths = format!("{}.{:02}", value / 100, value % 100);
            is(with_point::<2>(value), format!("{hundredths:>8}"));
        }
    }

    #[test]
    fn numbers_stand_where_they_should() {
        (0..200_000).for_each(assert_fields);
        let end = TOO_MANY as u32;
        (0..end).step_by(1499).for_each(assert_fields);
        (end - 20_000..end).for_each(assert_fields);
    }
}
