//! Sorting that takes little code where code is carried in every report.

use std::cmp::Ordering;

/// Sorting as slices do it. Natively it is theirs; in WebAssembly all sorts share one merge sort,
/// because a few kilobytes of machine code for each of many orders would be most of a report's
/// engine.
pub trait SmallSort<T> {
    /// As `sort_by` of slices.
    fn small_sort_by(&mut self, order: impl FnMut(&T, &T) -> Ordering);

    /// As `sort_by_key` of slices.
    fn small_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// As `sort_by_cached_key` of slices.
    fn small_sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// As `sort_unstable_by_key` of slices.
    fn small_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// As `sort_unstable` of slices.
    fn small_sort_unstable(&mut self)
    where
        T: Ord;
}

#[cfg(not(target_family = "wasm"))]
impl<T> SmallSort<T> for [T] {
    #[inline]
    fn small_sort_by(&mut self, order: impl FnMut(&T, &T) -> Ordering) {
        self.sort_by(order);
    }

    #[inline]
    fn small_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.sort_by_key(key);
    }

    #[inline]
    fn small_sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.sort_by_cached_key(key);
    }

    #[inline]
    fn small_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.sort_unstable_by_key(key);
    }

    #[inline]
    fn small_sort_unstable(&mut self)
    where
        T: Ord,
    {
        self.sort_unstable();
    }
}

#[cfg(target_family = "wasm")]
impl<T> SmallSort<T> for [T] {
    fn small_sort_by(&mut self, order: impl FnMut(&T, &T) -> Ordering) {
        in_little_code(self, order);
    }

    fn small_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        in_little_code(self, |a, b| key(a).cmp(&key(b)));
    }

    fn small_sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.small_sort_by_key(key);
    }

    fn small_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        self.small_sort_by_key(key);
    }

    fn small_sort_unstable(&mut self)
    where
        T: Ord,
    {
        in_little_code(self, T::cmp);
    }
}

/// What the one sort sees of any items in any order: all that machine code is needed for again.
#[cfg(any(target_family = "wasm", test))]
trait Rows {
    /// Whether row `a` belongs behind row `b`.
    fn after(&mut self, a: u32, b: u32) -> bool;

    /// Exchanges two rows.
    fn swap(&mut self, a: u32, b: u32);
}

#[cfg(any(target_family = "wasm", test))]
struct Ordered<'a, T, F> {
    items: &'a mut [T],
    order: F,
}

#[cfg(any(target_family = "wasm", test))]
impl<T, F: FnMut(&T, &T) -> Ordering> Rows for Ordered<'_, T, F> {
    fn after(&mut self, a: u32, b: u32) -> bool {
        (self.order)(&self.items[a as usize], &self.items[b as usize]) == Ordering::Greater
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.items.swap(a as usize, b as usize);
    }
}

#[cfg(any(target_family = "wasm", test))]
fn in_little_code<T>(items: &mut [T], order: impl FnMut(&T, &T) -> Ordering) {
    let len = items.len() as u32;
    sort(len, &mut Ordered { items, order });
}

/// Finds the order of row numbers, then moves the rows.
#[cfg(any(target_family = "wasm", test))]
#[inline(never)]
fn sort(len: u32, rows: &mut dyn Rows) {
    let mut sorted = merge_sort(len, rows);
    // Each cycle of the permutation is gone round once; what is in its place points to itself.
    for start in 0..len {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut sorted[at as usize], at);
            if from == start || from == at {
                break;
            }
            rows.swap(at, from);
            at = from;
        }
    }
}

/// The row numbers in the rows' order.
#[cfg(any(target_family = "wasm", test))]
fn merge_sort(len: u32, rows: &mut dyn Rows) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..len).collect();
    let mut merged = Vec::with_capacity(sorted.len());
    let mut width = 1;
    while width < sorted.len() {
        merged.clear();
        for two in sorted.chunks(2 * width) {
            let (mut left, mut right) = two.split_at(width.min(two.len()));
            while let (Some(&a), Some(&b)) = (left.first(), right.first()) {
                if rows.after(a, b) {
                    merged.push(b);
                    right = &right[1..];
                } else {
                    merged.push(a);
                    left = &left[1..];
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn little_code_sorts_as_slices_do(mut items in prop::collection::vec((0u8..20, any::<u32>()), 0..300)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            in_little_code(&mut items, |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(items, expected);
        }
    }
}
