//! Stable sorting with little machine code, for lists so short that the speed does not matter.
//!
//! The standard library's sort is compiled again for each type and each closure. Each copy takes 5 KB or more; together
//! they were a quarter of a report's engine. These functions share one sort of row numbers, and then move the rows into
//! that order. This costs one more call per comparison, and a list of row numbers per sort.

use std::cmp::Ordering;

/// Sorts stably by a key.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts stably by a comparison.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut order = order(items.len(), &|one, other| {
        compare(&items[one], &items[other])
    });
    follow(&mut order, &mut |one, other| items.swap(one, other));
}

/// The numbers `0..count` in the order of a comparison.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

/// Brings items into an order by swaps. Destroys `order`.
fn follow(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut at = first;
        // Each round puts one item of a cycle in its place, and marks that place.
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == first {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn results_are_those_of_the_standard_sort(values in prop::collection::vec(0u8..20, 0..300)) {
            let mut rows: Vec<(u8, usize)> = values.iter().copied().zip(0..).collect();
            let mut expected = rows.clone();
            expected.sort_by_key(|row| row.0);
            by_key(&mut rows, |row| row.0);
            prop_assert_eq!(&rows, &expected);
            expected.sort_by_key(|one| std::cmp::Reverse(one.0));
            by(&mut rows, |one, other| other.0.cmp(&one.0));
            prop_assert_eq!(&rows, &expected);
        }
    }

    #[test]
    fn a_long_cycle_takes_one_pass() {
        let mut rows: Vec<u32> = (1..100_000).chain([0]).collect();
        by_key(&mut rows, |row| *row);
        assert!(rows.is_sorted());
    }
}
