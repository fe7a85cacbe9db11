//! Binary search over numbers instead of a slice.

/// The first value in `0..count` for which `is_before` is false, or `count` if there is none. `is_before`
/// must be true up to some value and false for all larger ones.
pub(crate) fn first_index_not(count: usize, is_before: impl Fn(&usize) -> bool) -> usize {
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
