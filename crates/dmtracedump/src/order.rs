//! Sorting as the original sorts: glibc's `qsort`, which is a stable merge sort, with comparisons
//! that are not always an order.
//!
//! The original breaks ties between methods by class, name and signature, but by id if one of the
//! two has no name. If a class has methods with and without names, that is no order, and the result
//! depends on the merge sort's steps: only then does the same merge sort run here. In all other
//! cases each method has a rank, computed once: the millions of ties between callees in a wide call
//! graph are broken by comparing two numbers.

use std::cmp::{Ordering, Reverse};

use super::methods::{Method, MethodIndex};

/// The methods' ranks by their texts.
pub(super) struct Order {
    /// By method: the rank of its class, equal for equal classes.
    pub class_ranks: Vec<u32>,
    /// By method: the rank of its name, equal for equal names; 0 without a name.
    pub name_ranks: Vec<u32>,
    /// All methods, by class, then id.
    pub by_class: Vec<MethodIndex>,
    /// By method: the rank that breaks ties; equal for methods that are equal in everything. None
    /// if some class has methods with and without names.
    tie_ranks: Option<Vec<u32>>,
}

impl Order {
    /// `list` has to be sorted by id.
    pub fn new(list: &[Method<'_>]) -> Self {
        let (by_class, class_ranks) = sort_by_text(list, |method| Some(method.class));
        let (_, name_ranks) = sort_by_text(list, |method| method.name);
        let mut order = Order {
            class_ranks,
            name_ranks,
            by_class,
            tie_ranks: None,
        };
        if !order.has_mixed_class() {
            let mut sorted = order.by_class.clone();
            let class = |&m: &MethodIndex| order.class_rank(m);
            for methods in sorted.chunk_by_mut(|a, b| class(a) == class(b)) {
                methods.sort_by(|&a, &b| order.by_name(list, a, b));
            }
            let is_equal = |a, b| order.by_name(list, a, b).is_eq();
            order.tie_ranks = Some(ranks_of(&sorted, is_equal));
        }
        order
    }

    /// Whether a class has methods with and without names.
    fn has_mixed_class(&self) -> bool {
        let key = |m| (self.class_rank(m), self.name_rank(m) == 0);
        let mut neighbours = self
            .by_class
            .windows(2)
            .map(|pair| (key(pair[0]), key(pair[1])));
        neighbours.any(|(a, b)| a.0 == b.0 && a.1 != b.1)
    }

    fn class_rank(&self, method: MethodIndex) -> u32 {
        self.class_ranks[method as usize]
    }

    /// The rank of the name; 0 without a name, as that of the pseudo-methods.
    fn name_rank(&self, method: MethodIndex) -> u32 {
        self.name_ranks[method as usize]
    }

    /// By class, name, signature; by class and id if either has no name.
    fn by_name(&self, list: &[Method<'_>], a: MethodIndex, b: MethodIndex) -> Ordering {
        let classes = self.class_rank(a).cmp(&self.class_rank(b));
        classes.then_with(|| {
            let [first, second] = [a, b].map(|m| &list[m as usize]);
            match [a, b].map(|m| self.name_rank(m)) {
                [0, _] | [_, 0] => first.id.cmp(&second.id),
                [x, y] => x
                    .cmp(&y)
                    .then_with(|| first.signature.cmp(second.signature)),
            }
        })
    }

    /// Sorts items by falling time; ties by the method's class, name and signature. Stable.
    /// `key` gives an item's time and method.
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
                let times = time_b.cmp(&time_a);
                times.then_with(|| self.by_name(list, a, b))
            }),
        }
    }

    /// All methods by name, class and id, but by class and id if either has no name: no order, so
    /// the result depends on the sort's steps and on starting from the order of classes.
    pub fn by_bare_name(&self, list: &[Method<'_>]) -> Vec<MethodIndex> {
        let ranks = |&m: &MethodIndex| (self.name_rank(m), self.class_rank(m), m);
        let mut sorted: Vec<_> = self.by_class.iter().map(ranks).collect();
        merge_sort(&mut sorted, |a, b| {
            let names = match [a.0, b.0] {
                [0, _] | [_, 0] => Ordering::Equal,
                [x, y] => x.cmp(&y),
            };
            let ids = || list[a.2 as usize].id.cmp(&list[b.2 as usize].id);
            names.then(a.1.cmp(&b.1)).then_with(ids)
        });
        sorted.into_iter().map(|(_, _, method)| method).collect()
    }
}

/// The methods by a text, those with equal texts in the list's order, and each method's rank.
fn sort_by_text<'a>(
    list: &[Method<'a>],
    text: impl Fn(&Method<'a>) -> Option<&'a [u8]>,
) -> (Vec<MethodIndex>, Vec<u32>) {
    let text = |method: MethodIndex| text(&list[method as usize]);
    let methods = 0..list.len() as MethodIndex;
    let mut sorted: Vec<_> = methods.map(|m| (head(text(m)), m)).collect();
    sorted.sort_unstable_by(|&(head_a, a), &(head_b, b)| {
        let heads = head_a.cmp(&head_b);
        // Texts end at a NUL, so equal heads that are not full are whole texts.
        let rest = |m| text(m).map(|text| text.get(HEAD..));
        let texts = || rest(a).cmp(&rest(b));
        heads.then_with(texts).then(a.cmp(&b))
    });
    let sorted: Vec<_> = sorted.into_iter().map(|(_, method)| method).collect();
    let ranks = ranks_of(&sorted, |a, b| text(a) == text(b));
    (sorted, ranks)
}

/// Bytes of a text that are compared as numbers.
const HEAD: usize = 32;

/// The first bytes as numbers that compare as the bytes do: most texts differ there, and
/// numbers next to each other compare faster than texts all over the file.
fn head(text: Option<&[u8]>) -> [u64; HEAD / 8] {
    let mut words = [[0; 8]; HEAD / 8];
    for (word, bytes) in words.iter_mut().zip(text.unwrap_or_default().chunks(8)) {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    words.map(u64::from_be_bytes)
}

/// By method: its rank in `sorted`, where equal neighbours share one.
fn ranks_of(
    sorted: &[MethodIndex],
    is_equal: impl Fn(MethodIndex, MethodIndex) -> bool,
) -> Vec<u32> {
    let mut ranks = vec![0; sorted.len()];
    for (rank, equal) in (0..).zip(sorted.chunk_by(|&a, &b| is_equal(a, b))) {
        for &method in equal {
            ranks[method as usize] = rank;
        }
    }
    ranks
}

/// glibc's `qsort` (2.36 and before): a merge sort that halves by count, rounding the first half
/// down, and takes from the first half on ties. It accepts comparisons that are no order, and gives
/// the same result for them.
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
