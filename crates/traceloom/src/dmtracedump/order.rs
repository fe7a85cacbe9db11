//! Sorting as the original sorts: glibc's `qsort`, which is a stable merge sort, with comparisons
//! that are not always an order.
//!
//! The original breaks ties between methods by class, name and signature, but by id as soon as
//! one of the two has no name. Where a class has methods with and without names, that is no
//! order, and the result is whatever the merge sort makes of it: then, and only then, the same
//! merge sort runs here. Everywhere else a method's rank in that order is a number.

use std::cmp::{Ordering, Reverse};

use super::methods::{Method, MethodIndex};
use super::relatives::Relative;

/// How ties between methods are broken.
pub(super) enum Order {
    /// The usual case: the rank of each method; equal for equal names.
    Ranked(Vec<u32>),
    /// Some class mixes methods with and without names.
    Mixed,
}

impl Order {
    pub fn new(list: &[Method<'_>]) -> Self {
        let mut sorted: Vec<u32> = (0..list.len() as u32).collect();
        let get = |i: &u32| &list[*i as usize];
        sorted.sort_by(|a, b| by_class(get(a), get(b)));
        let mut classes = sorted.chunk_by(|a, b| get(a).class == get(b).class);
        if classes.any(|class| {
            let named = class.iter().filter(|i| get(i).name.is_some()).count();
            named != 0 && named != class.len()
        }) {
            return Order::Mixed;
        }
        sorted.sort_by(|a, b| by_name(get(a), get(b)));
        let mut ranks = vec![0; list.len()];
        for pair in sorted.windows(2) {
            let step = u32::from(by_name(get(&pair[0]), get(&pair[1])).is_ne());
            ranks[pair[1] as usize] = ranks[pair[0] as usize] + step;
        }
        Order::Ranked(ranks)
    }

    /// Sorts methods by falling `time`, ties by name.
    pub fn sort_by_time(
        &self,
        list: &[Method<'_>],
        items: &mut [MethodIndex],
        time: impl Fn(MethodIndex) -> u64,
    ) {
        match self {
            Order::Ranked(ranks) => {
                items.sort_by_key(|&i| (Reverse(time(i)), ranks[i as usize]));
            }
            Order::Mixed => merge_sort(items, |&a, &b| {
                let tie = || by_name(&list[a as usize], &list[b as usize]);
                time(b).cmp(&time(a)).then_with(tie)
            }),
        }
    }

    /// Sorts callers or callees by falling time, ties by name, then those found last first: the
    /// original puts each new one at the front of a list.
    pub fn sort_relatives(&self, list: &[Method<'_>], items: &mut [Relative]) {
        match self {
            Order::Ranked(ranks) => items.sort_unstable_by(|a, b| {
                let tie = || {
                    let (rank_a, rank_b) = (ranks[a.method as usize], ranks[b.method as usize]);
                    rank_a.cmp(&rank_b).then(b.found.cmp(&a.found))
                };
                b.inclusive.cmp(&a.inclusive).then_with(tie)
            }),
            Order::Mixed => {
                items.sort_unstable_by_key(|r| Reverse(r.found));
                merge_sort(items, |a, b| {
                    let tie = || by_name(&list[a.method as usize], &list[b.method as usize]);
                    b.inclusive.cmp(&a.inclusive).then_with(tie)
                });
            }
        }
    }
}

/// Class, name, signature; class and id if either has no name.
fn by_name(a: &Method<'_>, b: &Method<'_>) -> Ordering {
    a.class.cmp(b.class).then_with(|| match (a.name, b.name) {
        (Some(name_a), Some(name_b)) => name_a
            .cmp(name_b)
            .then_with(|| a.signature.cmp(b.signature)),
        _ => a.id.cmp(&b.id),
    })
}

/// Class, then id.
pub(super) fn by_class(a: &Method<'_>, b: &Method<'_>) -> Ordering {
    a.class.cmp(b.class).then(a.id.cmp(&b.id))
}

/// A method as [`sort_by_bare_name`] looks at it.
#[derive(Clone, Copy)]
struct Bare {
    /// Rank of the name, from 1; 0 without a name.
    name: u32,
    /// Rank of the class.
    class: u32,
    id: i64,
    method: MethodIndex,
}

impl Bare {
    /// Name, class, id; class and id if either has no name: no order, so only for [`merge_sort`].
    fn compare(&self, other: &Self) -> Ordering {
        let by_class = (self.class, self.id).cmp(&(other.class, other.id));
        if self.name == 0 || other.name == 0 {
            return by_class;
        }
        self.name.cmp(&other.name).then(by_class)
    }
}

/// Sorts methods by name as the original does; they have to be in order of their classes.
pub(super) fn sort_by_bare_name(list: &[Method<'_>], order: &mut [MethodIndex]) {
    let get = |m: MethodIndex| &list[m as usize];
    let classes = order.chunk_by(|&a, &b| get(a).class == get(b).class);
    let bare = |(class, &method): (usize, &MethodIndex)| Bare {
        name: 0,
        class: class as u32,
        id: get(method).id,
        method,
    };
    let ranked = classes.enumerate();
    let mut items: Vec<Bare> = ranked
        .flat_map(|(rank, class)| class.iter().map(move |method| bare((rank, method))))
        .collect();
    let name = |item: &Bare| get(item.method).name;
    items.sort_by_key(name);
    let mut rank = 0;
    for names in items.chunk_by_mut(|a, b| name(a) == name(b)) {
        rank += u32::from(name(&names[0]).is_some());
        names.iter_mut().for_each(|item| item.name = rank);
    }
    // Back to where they were: the order of classes, in which ties stay as they stood.
    let mut place = vec![0; list.len()];
    order
        .iter()
        .zip(0u32..)
        .for_each(|(&m, at)| place[m as usize] = at);
    items.sort_unstable_by_key(|item| place[item.method as usize]);
    merge_sort(&mut items, Bare::compare);
    for (method, item) in order.iter_mut().zip(items) {
        *method = item.method;
    }
}

/// glibc's `qsort` (2.36 and before): a merge sort that halves by count, rounding the first half
/// down, and takes from the first half on ties. Needs no order to end, and makes the same of
/// comparisons that are none.
pub(super) fn merge_sort<T: Copy>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut spare = items.to_vec();
    merge(items, &mut spare, &mut compare);
}

fn merge<T: Copy>(items: &mut [T], spare: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merge_sort_is_stable() {
        let mut items: Vec<(u32, u32)> = (0..100).map(|i| (i * 37 % 10, i)).collect();
        let mut want = items.clone();
        want.sort_by_key(|i| i.0);
        merge_sort(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, want);
    }

    #[test]
    fn a_comparison_that_is_no_order_ends_as_in_glibc() {
        // Scissors, paper, stone: what qsort of glibc 2.36 makes of it.
        let mut items = [0, 1, 2, 0, 1, 2, 0];
        merge_sort(&mut items, |a: &i32, b: &i32| match (a - b).rem_euclid(3) {
            0 => Ordering::Equal,
            1 => Ordering::Greater,
            _ => Ordering::Less,
        });
        assert_eq!(items, [2, 0, 0, 0, 1, 1, 2]);
    }
}
