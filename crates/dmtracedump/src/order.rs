//! Sorting as the original sorts: glibc's `qsort`, which is a stable merge sort, with comparisons
//! that are not always a total order.
//!
//! The original breaks ties between methods by class, name and signature, but by id if one of the two has no name. If a
//! class has methods with and without names, that is not a total order, and the result depends on the steps of the
//! merge sort. Only then is the same merge sort used here. In all other cases each method has a rank, computed once:
//! the millions of ties between callees in a wide call graph are broken by comparing two numbers.

use std::cmp::{Ordering, Reverse};

use super::methods::{Method, MethodIndex};

/// The orders of the methods that do not depend on times.
pub(super) struct Order {
    /// By class, then id.
    pub by_class: Vec<MethodIndex>,
    /// By method: the rank that breaks ties; equal for methods that are equal in everything. None
    /// if some class has methods with and without names.
    tie_ranks: Option<Vec<u32>>,
}

impl Order {
    /// `list` has to be sorted by id.
    pub fn new(list: &[Method<'_>]) -> Self {
        let mut by_class: Vec<_> = (0..list.len() as MethodIndex).collect();
        by_class.sort_by_key(|&method| list[method as usize].class);
        let is_mixed = |pair: &[MethodIndex]| {
            let [a, b] = [pair[0], pair[1]].map(|m| &list[m as usize]);
            a.class == b.class && a.name.is_some() != b.name.is_some()
        };
        let is_ordered = !by_class.windows(2).any(is_mixed);
        let tie_ranks = is_ordered.then(|| tie_ranks(list, by_class.clone()));
        Order {
            by_class,
            tie_ranks,
        }
    }

    /// Sorts items by decreasing time, then by the method's class, name and signature. Stable. `key` gives an item's
    /// time and method.
    pub fn sort_by_time<T: Copy>(
        &self,
        list: &[Method<'_>],
        items: &mut [T],
        key: impl Fn(&T) -> (u64, MethodIndex),
    ) {
        match &self.tie_ranks {
            Some(ranks) => items.sort_by_key(|item| {
                let (time, method) = key(item);
                (Reverse(time), ranks[method as usize])
            }),
            None => merge_sort(items, |a, b| {
                let ((time_a, a), (time_b, b)) = (key(a), key(b));
                let names = || by_name(&list[a as usize], &list[b as usize]);
                time_b.cmp(&time_a).then_with(names)
            }),
        }
    }

    /// All methods by name, class and id, but by class and id if either has no name. That is not a total order, so the
    /// result depends on the steps of the sort and on the initial order, which is by class.
    pub fn by_bare_name(&self, list: &[Method<'_>]) -> Vec<MethodIndex> {
        let mut sorted = self.by_class.clone();
        merge_sort(&mut sorted, |&a, &b| {
            let [a, b] = [a, b].map(|m| &list[m as usize]);
            let names = a
                .name
                .zip(b.name)
                .map_or(Ordering::Equal, |(x, y)| x.cmp(y));
            names.then_with(|| (a.class, a.id).cmp(&(b.class, b.id)))
        });
        sorted
    }
}

/// By method: its rank in the order of classes, names and signatures.
fn tie_ranks(list: &[Method<'_>], mut sorted: Vec<MethodIndex>) -> Vec<u32> {
    let compare = |a, b| by_name(&list[a as usize], &list[b as usize]);
    sorted.sort_by(|&a, &b| compare(a, b));
    let mut ranks = vec![0; list.len()];
    for (rank, equal) in (0..).zip(sorted.chunk_by(|&a, &b| compare(a, b).is_eq())) {
        for &method in equal {
            ranks[method as usize] = rank;
        }
    }
    ranks
}

/// By class, name, signature; by class and id if either has no name.
fn by_name(a: &Method<'_>, b: &Method<'_>) -> Ordering {
    a.class.cmp(b.class).then_with(|| match (a.name, b.name) {
        (Some(x), Some(y)) => x.cmp(y).then_with(|| a.signature.cmp(b.signature)),
        _ => a.id.cmp(&b.id),
    })
}

/// glibc's `qsort` (2.36 and before): a merge sort that halves by count, rounding the first half down, and takes from
/// the first half on ties. It accepts comparisons that are not a total order, and gives the same result for them.
pub(super) fn merge_sort<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut spare = items.to_vec();
    merge(items, &mut spare, &compare);
}

fn merge<T: Copy>(items: &mut [T], spare: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    if items.len() <= 1 {
        return;
    }
    let half = items.len() / 2;
    merge(&mut items[..half], spare, compare);
    merge(&mut items[half..], spare, compare);
    let (mut left, mut right, mut filled) = (0, half, 0);
    while left < half && right < items.len() {
        let from = if compare(&items[left], &items[right]).is_le() {
            &mut left
        } else {
            &mut right
        };
        spare[filled] = items[*from];
        *from += 1;
        filled += 1;
    }
    items.copy_within(left..half, filled);
    items[..filled].copy_from_slice(&spare[..filled]);
}
