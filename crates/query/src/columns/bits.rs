//! Which rows of a chunk have a value.

/// One bit per row, lowest bit first: whether the row has a value. `None` if all rows have one.
pub(super) fn valid_bits<T: Copy + PartialEq>(rows: &[T], absent: T) -> Option<Vec<u8>> {
    // Most columns have either all values or none, and this test is much faster than creating the bits.
    if !rows.contains(&absent) {
        return None;
    }
    let byte = |rows: &[T]| {
        let bits = rows.iter().enumerate();
        bits.fold(0u8, |byte, (at, row)| byte | u8::from(*row != absent) << at)
    };
    Some(rows.chunks(8).map(byte).collect())
}

/// Collects such bits row by row.
#[derive(Debug, Default)]
pub(super) struct ValidBits {
    bits: Vec<u8>,
    rows: usize,
    has_absent: bool,
}

impl ValidBits {
    pub fn push(&mut self, is_valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u8::from(is_valid) << (self.rows % 8);
        }
        self.rows += 1;
        self.has_absent |= !is_valid;
    }

    pub fn finish(self) -> Option<Vec<u8>> {
        self.has_absent.then_some(self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same_bits() {
        let rows: Vec<u32> = (0..21).map(|row| row % 3).collect();
        let mut one_by_one = ValidBits::default();
        rows.iter().for_each(|row| one_by_one.push(*row != 2));
        let bits = valid_bits(&rows, 2);
        assert_eq!(bits.as_deref(), Some(&[0xdb, 0xb6, 0x0d][..]));
        assert_eq!(one_by_one.finish(), bits);
        assert_eq!(valid_bits(&rows, 9), None);
    }
}
