//! Sorting by numbers. What decides, and where an item stood before, are made one number of 128
//! bits: numbers are compared without a branch that the processor could guess wrong, and a sort of
//! numbers that all differ is stable.

/// Shorter lists are sorted where they stand.
const SHORT: usize = 20;

/// Sorts `items` by rising keys; those with equal keys stay in order.
pub(super) fn sort(items: &mut [u32], key: impl Fn(u32) -> (u64, u32)) {
    if items.len() <= SHORT {
        return items.sort_by_key(|&item| key(item));
    }
    let before = items.to_vec();
    let number = |(place, &item): (u32, &u32)| {
        let (first, second) = key(item);
        joined(first, second, place)
    };
    let mut numbers: Vec<u128> = (0..).zip(&before).map(number).collect();
    numbers.sort_unstable();
    for (item, number) in items.iter_mut().zip(numbers) {
        *item = before[number as u32 as usize];
    }
}

/// A number that compares as the three do one after another.
#[inline]
pub(super) fn joined(first: u64, second: u32, third: u32) -> u128 {
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_lists_keep_the_order_of_equal_keys() {
        let key = |item: u32| (u64::from(item / 7 % 3) << 40, item % 2);
        for count in [0, 1, 5, SHORT, SHORT + 1, 1000] {
            let mut items: Vec<u32> = (0..count as u32).map(|i| i * 0x9e37 % 1009).collect();
            let mut want = items.clone();
            want.sort_by_key(|&item| key(item));
            sort(&mut items, key);
            assert_eq!(items, want);
        }
    }
}
