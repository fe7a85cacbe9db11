//! Numbers in fields of a fixed width, as C's `printf` lays them out. What has up to eight digits, which is nearly
//! everything, is made in a register.

use std::io::Write;

use super::digits::{TOO_MANY, left_of_eight, right_of_eight, with_point};
use super::out::{Cell, Out, scaled};

impl<W: Write> Out<W> {
    /// `%*u`: a number at the right of `WIDTH` bytes, or of more if need be.
    #[inline]
    pub fn right_number<const WIDTH: usize>(&mut self, value: u64) -> &mut Self {
        if value < const { limit(WIDTH) } {
            self.field::<WIDTH>(right_of_eight(value as u32))
        } else {
            self.right::<WIDTH>(&Cell::unsigned(value))
        }
    }

    /// `%*d`, of what is hardly ever negative.
    #[inline]
    pub fn right_signed<const WIDTH: usize>(&mut self, value: i32) -> &mut Self {
        match u64::try_from(value) {
            Ok(value) => self.right_number::<WIDTH>(value),
            Err(_) => self.right::<WIDTH>(&Cell::signed(value)),
        }
    }

    /// `%-*d`, of what is hardly ever negative.
    #[inline]
    pub fn left_signed<const WIDTH: usize>(&mut self, value: i32) -> &mut Self {
        const { assert!(WIDTH <= 8) };
        match u64::try_from(value) {
            Ok(value) if value < const { limit(WIDTH) } => {
                self.text(&left_of_eight(value as u32)[..WIDTH])
            }
            _ => self.left::<WIDTH>(&Cell::signed(value)),
        }
    }

    /// `%*.1f`.
    #[inline]
    pub fn right_tenths<const WIDTH: usize>(&mut self, value: f64) -> &mut Self {
        self.right_point::<WIDTH, 1>(value, Cell::tenths)
    }

    /// `%*.2f`.
    #[inline]
    pub fn right_hundredths<const WIDTH: usize>(&mut self, value: f64) -> &mut Self {
        self.right_point::<WIDTH, 2>(value, Cell::hundredths)
    }

    /// A number with `DECIMALS` digits behind its point; `any` makes those that a register cannot hold.
    #[inline]
    fn right_point<const WIDTH: usize, const DECIMALS: u32>(
        &mut self,
        value: f64,
        any: fn(f64) -> Cell,
    ) -> &mut Self {
        // The point is one of eight characters.
        const { assert!(WIDTH <= 8) };
        match scaled(value, const { 10_u64.pow(DECIMALS) }) {
            Some(units) if units < const { limit(WIDTH - 1) } => {
                self.field::<WIDTH>(with_point::<DECIMALS>(units as u32))
            }
            _ => self.right::<WIDTH>(&any(value)),
        }
    }

    /// The last `WIDTH` of eight characters, or spaces and all of them.
    #[inline]
    fn field<const WIDTH: usize>(&mut self, characters: [u8; 8]) -> &mut Self {
        let mut field = [b' '; WIDTH];
        let own = WIDTH.min(characters.len());
        field[WIDTH - own..].copy_from_slice(&characters[characters.len() - own..]);
        self.text(field)
    }
}

/// The first number with more than `digits` digits, or more than can be made in a register.
const fn limit(digits: usize) -> u64 {
    match digits {
        0..8 => 10_u64.pow(digits as u32),
        _ => TOO_MANY,
    }
}

#[cfg(test)]
mod tests {
    use crate::out::Out;

    #[test]
    fn fields_are_as_wide_as_they_must_be() {
        let mut out = Out::new(Vec::new());
        for value in [0, 7, 123_456, 1_234_567, 99_999_999, 100_000_000, u64::MAX] {
            out.right_number::<6>(value)
                .text("|")
                .right_number::<9>(value)
                .text("\n");
        }
        for value in [0, -7, 99_999, -99_999, 123_456_789] {
            out.right_signed::<6>(value)
                .text("|")
                .left_signed::<6>(value)
                .text("|\n");
        }
        for value in [0.0, 0.05, 99.95, 100.0, 123_456_789.25, -1.0, f64::NAN] {
            out.right_tenths::<5>(value)
                .text("|")
                .right_hundredths::<6>(value)
                .text("\n");
        }
        let want = "     0|        0
     7|        7
123456|   123456
1234567|  1234567
99999999| 99999999
100000000|100000000
18446744073709551615|18446744073709551615
     0|0     |
    -7|-7    |
 99999|99999 |
-99999|-99999|
123456789|123456789|
  0.0|  0.00
  0.1|  0.05
100.0| 99.95
100.0|100.00
123456789.2|123456789.25
 -1.0| -1.00
  nan|   nan
";
        assert_eq!(String::from_utf8(out.finish().unwrap()).unwrap(), want);
    }
}
