//! Counting damage.

/// Counts one more fault, and notes the offset of the first.
pub(crate) fn count_fault(count: &mut u64, first: &mut u64, offset: u64) {
    if *count == 0 {
        *first = offset;
    }
    *count += 1;
}
