//! Binary search over numbers instead of a slice.

/// How many of the numbers in `0..count` fulfil `is_before`, which holds up to some number and for none after it.
pub(crate) fn partition_point(count: usize, is_before: impl Fn(&usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(&middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
