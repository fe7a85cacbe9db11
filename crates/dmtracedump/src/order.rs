//! Sorting as the original sorts: glibc's `qsort`, which is a stable merge sort, with comparisons
//! that are not always an order.
//!
//! The original breaks ties between methods by class, name and signature, but by id as soon as
//! one of the two has no name. Where a class has methods with and without names, that is no
//! order, and the result is whatever the merge sort makes of it: then, and only then, the same
//! merge sort runs here. Everywhere else a method's rank in that order is a number.

use std::cmp::{Ordering, Reverse};

use super::methods::{Method, MethodIndex};
use super::numbers;
use super::relatives::Relative;
use super::texts::{self, Keyed};

/// The methods' places in orders of their texts, which are compared once.
pub(super) struct Order {
    /// Methods by class, then id.
    by_class: Vec<MethodIndex>,
    /// By method: the rank of its class.
    classes: Vec<u32>,
    /// By method: the rank of its name, from 1; 0 without a name.
    names: Vec<u32>,
    ties: Ties,
}

/// How ties between methods are broken.
enum Ties {
    /// The usual case: the rank of each method; equal for equal names.
    Ranked(Vec<u32>),
    /// Some class mixes methods with and without names.
    Mixed,
}

impl Order {
    /// `list` has to be in order of ids.
    pub fn new(list: &[Method<'_>]) -> Self {
        let mut by_class = Vec::with_capacity(list.len());
        let mut classes = vec![0; list.len()];
        let names = name_ranks(list);
        let mut ranker = Ranker::new(list, &names);
        let mut items: Vec<Keyed> = (0..list.len() as u32).map(Keyed::new).collect();
        let mut rank = 0;
        texts::sort(&mut items, &|m| list[m as usize].class, &mut |class| {
            by_class.extend(class.iter().map(|item| item.method()));
            class
                .iter()
                .for_each(|item| classes[item.method() as usize] = rank);
            rank += 1;
            ranker.class(class);
        });
        let ties = ranker.finish();
        Order {
            by_class,
            classes,
            names,
            ties,
        }
    }

    /// Every method, by class, then id.
    pub fn by_class(&self) -> &[MethodIndex] {
        &self.by_class
    }

    /// By method: the rank of its class, equal for equal classes.
    pub fn class_ranks(&self) -> &[u32] {
        &self.classes
    }

    /// By method: the rank of its name, equal for equal names; 0 without a name.
    pub fn name_ranks(&self) -> &[u32] {
        &self.names
    }

    /// Whether methods may tie in all that sorting looks at, so that it matters how they stood before.
    pub fn has_twins(&self) -> bool {
        match &self.ties {
            Ties::Ranked(ranks) => {
                ranks.iter().max().map_or(0, |&last| last as usize + 1) < ranks.len()
            }
            Ties::Mixed => true,
        }
    }

    /// Sorts methods by falling `time`, ties by name.
    pub fn sort_by_time(
        &self,
        list: &[Method<'_>],
        items: &mut [MethodIndex],
        time: impl Fn(MethodIndex) -> u64,
    ) {
        match &self.ties {
            Ties::Ranked(ranks) => numbers::sort(items, |i| (!time(i), ranks[i as usize])),
            Ties::Mixed => merge_sort(items, |&a, &b| {
                let tie = || by_name(&list[a as usize], &list[b as usize]);
                time(b).cmp(&time(a)).then_with(tie)
            }),
        }
    }

    /// Sorts callers or callees by falling time, ties by name, then those found last first: the
    /// original puts each new one at the front of a list.
    pub fn sort_relatives(&self, list: &[Method<'_>], items: &mut [Relative]) {
        match &self.ties {
            Ties::Ranked(ranks) => items.sort_unstable_by_key(|relative| {
                let rank = ranks[relative.method as usize];
                numbers::joined(!relative.inclusive, rank, !relative.found)
            }),
            Ties::Mixed => {
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

/// Ranks methods by name, class after class.
struct Ranker<'l, 'a> {
    list: &'l [Method<'a>],
    /// As [`Order::names`].
    names: &'l [u32],
    ranks: Vec<u32>,
    next: u32,
    mixed: bool,
}

impl<'l, 'a> Ranker<'l, 'a> {
    fn new(list: &'l [Method<'a>], names: &'l [u32]) -> Self {
        Ranker {
            list,
            names,
            ranks: vec![0; list.len()],
            next: 0,
            mixed: false,
        }
    }

    /// Takes the methods of the next class, in order of ids.
    fn class(&mut self, class: &mut [Keyed]) {
        let list = self.list;
        let named = |item: &Keyed| self.names[item.method() as usize] != 0;
        match class.iter().filter(|item| named(item)).count() {
            0 => {
                let id = |item: &Keyed| list[item.method() as usize].id;
                class
                    .chunk_by(|a, b| id(a) == id(b))
                    .for_each(|equal| self.equal(equal));
            }
            count if count == class.len() => self.named(class),
            _ => self.mixed = true,
        }
    }

    fn named(&mut self, class: &mut [Keyed]) {
        let (list, names) = (self.list, self.names);
        let name = |item: &Keyed| names[item.method() as usize];
        let signature = |m: u32| list[m as usize].signature;
        class.sort_unstable_by_key(|item| (name(item), item.method()));
        for overloads in class.chunk_by_mut(|a, b| name(a) == name(b)) {
            texts::sort(overloads, &signature, &mut |equal| self.equal(equal));
        }
    }

    fn equal(&mut self, methods: &[Keyed]) {
        for item in methods {
            self.ranks[item.method() as usize] = self.next;
        }
        self.next += 1;
    }

    fn finish(self) -> Ties {
        if self.mixed {
            Ties::Mixed
        } else {
            Ties::Ranked(self.ranks)
        }
    }
}

/// A method as [`Order::by_bare_name`] looks at it.
#[derive(Clone, Copy)]
struct Bare {
    /// Rank of the name, from 1, or 0 without a name; then the rank of class and id.
    ranks: u64,
    method: MethodIndex,
}

impl Bare {
    fn new(name: u32, class: u32, method: MethodIndex) -> Self {
        Bare {
            ranks: u64::from(name) << 32 | u64::from(class),
            method,
        }
    }

    fn is_nameless(&self) -> bool {
        self.ranks >> 32 == 0
    }

    /// Name, class, id; class and id if either has no name: no order, so only for [`merge_sort`].
    fn compare(&self, other: &Self) -> Ordering {
        if self.is_nameless() || other.is_nameless() {
            (self.ranks as u32).cmp(&(other.ranks as u32))
        } else {
            self.ranks.cmp(&other.ranks)
        }
    }
}

/// Methods by name as the original has them, each with the rank of its name.
pub(super) struct ByBareName {
    pub order: Vec<MethodIndex>,
    /// By method: the rank of class and id.
    pub classes: Vec<u32>,
}

impl Order {
    /// Sorts methods by name as the original does, which has them in order of classes before.
    pub fn by_bare_name(&self, list: &[Method<'_>]) -> ByBareName {
        let key = |m: MethodIndex| (self.classes[m as usize], list[m as usize].id);
        let mut bare: Vec<Bare> = Vec::with_capacity(list.len());
        let mut classes = vec![0; list.len()];
        let alike = self.by_class.chunk_by(|&a, &b| key(a) == key(b));
        for (class, equal) in (0..).zip(alike) {
            for &method in equal {
                classes[method as usize] = class;
                bare.push(Bare::new(self.names[method as usize], class, method));
            }
        }
        sort_bare(&mut bare);
        ByBareName {
            order: bare.iter().map(|item| item.method).collect(),
            classes,
        }
    }
}

/// Sorts methods that stand in order of classes. Where those without a name come before all
/// others, as the two pseudo-methods do, [`Bare::compare`] is an order.
fn sort_bare(bare: &mut [Bare]) {
    let nameless = bare.iter().take_while(|m| m.is_nameless()).count();
    let (front, named) = bare.split_at_mut(nameless);
    let class = |at: Option<&Bare>| at.map(|method| method.ranks as u32);
    let apart = class(front.last()) < class(named.first());
    if apart && !named.iter().any(Bare::is_nameless) {
        named.sort_unstable_by_key(|m| numbers::joined(m.ranks, m.method, 0))
    } else {
        merge_sort(bare, Bare::compare)
    }
}

/// By method: the rank of its name, from 1; 0 without a name.
fn name_ranks(list: &[Method<'_>]) -> Vec<u32> {
    let mut ranks = vec![0; list.len()];
    let with_name = (0..list.len() as u32).filter(|&m| list[m as usize].name.is_some());
    let mut items: Vec<Keyed> = with_name.map(Keyed::new).collect();
    let mut rank = 0;
    let name = |m: u32| list[m as usize].name.unwrap_or_default();
    texts::sort(&mut items, &name, &mut |equal| {
        rank += 1;
        equal
            .iter()
            .for_each(|item| ranks[item.method() as usize] = rank);
    });
    ranks
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
