//! The methods of a trace, sorted by id, and the way from a record's id to a method's index.

use std::collections::HashMap;

use super::order::{self, Order};
use super::seeded::Seeded;

/// A method's place in [`Methods`].
pub(super) type MethodIndex = u32;

/// The pseudo-method every thread runs in: whatever has the lowest id, which is −2 for
/// `(toplevel)` unless a file declares a lower one.
pub(super) const TOPLEVEL: MethodIndex = 0;

/// The pseudo-method of records whose id nobody declared; −1, so second.
pub(super) const UNKNOWN: MethodIndex = 1;

/// A line of `*methods`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method<'a> {
    pub id: i64,
    pub class: &'a [u8],
    /// None for pseudo-methods and for lines that give a function name only.
    pub name: Option<&'a [u8]>,
    pub signature: &'a [u8],
}

/// All methods, sorted by id, with the two pseudo-methods.
pub(super) struct Methods<'a> {
    list: Vec<Method<'a>>,
    lookup: Lookup,
    order: Order,
}

impl<'a> Methods<'a> {
    /// Takes the declared methods, adds the pseudo-methods and sorts by id; equal ids stay in
    /// file order.
    pub fn new(mut list: Vec<Method<'a>>) -> Self {
        let pseudo = |id, class| Method {
            id,
            class,
            name: None,
            signature: &b""[..],
        };
        list.extend([pseudo(-2, &b"(toplevel)"[..]), pseudo(-1, b"(unknown)")]);
        // The original has them in front, so they come before declared methods of the same id.
        list.rotate_right(2);
        if !list.is_sorted_by_key(|m| m.id) {
            list.sort_by_cached_key(|m| m.id);
        }
        Methods {
            lookup: Lookup::new(&list),
            order: order::Order::new(&list),
            list,
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, index: MethodIndex) -> &Method<'a> {
        &self.list[index as usize]
    }

    pub fn list(&self) -> &[Method<'a>] {
        &self.list
    }

    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Every index, in order of id.
    pub fn all(&self) -> Vec<MethodIndex> {
        (0..self.list.len() as u32).collect()
    }

    /// The method with this id (its two low bits clear), if a line declares it.
    pub fn find(&self, id: u32) -> Option<MethodIndex> {
        Some(self.index_of(id)).filter(|&index| index != UNKNOWN)
    }

    /// The method with this id, or [`UNKNOWN`]; never [`TOPLEVEL`], whose id no record can carry.
    #[inline]
    pub fn index_of(&self, id: u32) -> MethodIndex {
        let found = match &self.lookup {
            Lookup::Dense { first, slots } => slots.get((id >> 2).wrapping_sub(*first) as usize),
            Lookup::Sparse(map) => map.get(&id),
        };
        found.copied().unwrap_or(UNKNOWN)
    }
}

/// Ids up to here are looked up in a table in any case: what is never touched of it costs nothing.
const TABLE_ROOM: usize = 1 << 17;

/// A table over the range of ids where that is not much bigger than the list, else a hash map.
enum Lookup {
    /// By id / 4 from the first on; [`UNKNOWN`] where nobody has the id.
    Dense {
        first: u32,
        slots: Vec<u32>,
    },
    Sparse(HashMap<u32, u32, Seeded>),
}

impl Lookup {
    fn new(list: &[Method<'_>]) -> Self {
        let found: Vec<(u32, u32)> = reachable(list).collect();
        let first = found.first().map_or(0, |f| f.0 >> 2);
        let range = found.last().map_or(0, |l| (l.0 >> 2) - first + 1) as usize;
        if range > 8 * list.len() + TABLE_ROOM {
            let mut map = HashMap::with_hasher(Seeded::new());
            map.extend(found);
            return Lookup::Sparse(map);
        }
        let mut slots = vec![UNKNOWN; range];
        for (id, index) in found {
            slots[((id >> 2) - first) as usize] = index;
        }
        Lookup::Dense { first, slots }
    }
}

/// Ids a record can carry, ascending, each with the index it leads to.
fn reachable<'l>(list: &'l [Method<'_>]) -> impl Iterator<Item = (u32, u32)> + 'l {
    let runs = list.chunk_by(|a, b| a.id == b.id);
    let starts = runs.scan(0usize, |at, run| {
        let start = *at;
        *at += run.len();
        Some((start, run))
    });
    starts.filter_map(|(start, run)| {
        let id = u32::try_from(run[0].id).ok().filter(|id| id & 3 == 0)?;
        let index = if run.len() == 1 {
            start
        } else {
            bisect(list, run[0].id)
        };
        Some((id, index as u32))
    })
}

/// Which of several methods with one id counts is what this very bisection hits first: the
/// original's choice, and it depends on the length of the list.
fn bisect(list: &[Method<'_>], id: i64) -> usize {
    let (mut low, mut high) = (0, list.len() - 1);
    loop {
        let middle = (low + high) / 2;
        match list[middle].id.cmp(&id) {
            std::cmp::Ordering::Equal => return middle,
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn methods(ids: &[i64]) -> Methods<'static> {
        let one = |&id| Method {
            id,
            class: b"C",
            name: Some(b"m"),
            signature: b"",
        };
        Methods::new(ids.iter().map(one).collect())
    }

    #[test]
    fn dense_and_sparse_ids_are_found() {
        for ids in [[4, 8, 400], [4, 0x6000_0000, 0xffff_fffc]] {
            let all = methods(&ids);
            for (i, id) in ids.iter().enumerate() {
                assert_eq!(all.find(*id as u32), Some(i as u32 + 2));
            }
            assert_eq!(all.find(12), None);
            assert_eq!(all.find(0), None);
        }
    }

    #[test]
    fn ids_no_record_can_carry_are_never_found() {
        let all = methods(&[3, -8, 1 << 33]);
        assert_eq!(all.get(TOPLEVEL).id, -8);
        assert_eq!(all.find(0), None);
    }

    #[test]
    fn of_equal_ids_the_bisection_picks() {
        let all = methods(&[4, 4, 4]);
        assert_eq!(all.find(4), Some(2));
        assert_eq!(methods(&[4, 4, 4, 4]).find(4), Some(2));
        assert_eq!(methods(&[4, 4, 4, 4, 4]).find(4), Some(3));
    }
}
