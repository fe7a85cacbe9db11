//! Maps the ids in a file to dense indices: the nth thread, the nth method.

use rustc_hash::FxHashMap;

/// No index.
pub(super) const NONE: u32 = u32::MAX;

/// The number of ids found by indexing; others are hashed. ART numbers methods in steps of four and
/// threads with 16 bits. If methods are addresses, they are close together, so the table covers the
/// surroundings of the first one. At most 4 MB, whatever ids a file has.
const DIRECT: u64 = 1 << 20;

/// An id and its declaration.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The id in the file.
    raw: u64,
    /// A hash of the text that declared it; 0 until then.
    text: u64,
    /// Where it occurred first.
    offset: u64,
}

/// Ids of one kind. The lowest `SHIFT` bits of ids are zero.
#[derive(Clone, Debug)]
pub(super) struct Ids<const SHIFT: u32> {
    /// The first id of the direct table.
    base: u64,
    /// Index plus one, 0 for none: zeroed memory costs nothing until it is used.
    direct: Vec<u32>,
    hashed: FxHashMap<u64, u32>,
    known: Vec<Known>,
    /// The index shared by all ids beyond the limit; [`NONE`] before that.
    shared: u32,
}

impl<const SHIFT: u32> Default for Ids<SHIFT> {
    fn default() -> Self {
        Self {
            base: 0,
            direct: Vec::new(),
            hashed: FxHashMap::default(),
            known: Vec::new(),
            shared: NONE,
        }
    }
}

/// The effect of a declaration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Declared {
    /// The id was not declared before.
    First,
    /// It was declared with the same text.
    Again,
    /// It was declared with another text.
    Anew,
}

impl<const SHIFT: u32> Ids<SHIFT> {
    /// The number of indices.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether `index` is shared by ids beyond the limit.
    pub fn is_shared(&self, index: u32) -> bool {
        index == self.shared && index != NONE
    }

    /// From now on, every new id gets `index`, which must exist. This is for inputs with too many
    /// ids to keep in memory.
    #[cold]
    pub fn share(&mut self, index: u32) {
        self.shared = index;
        let free = self.direct.iter_mut().filter(|one_more| **one_more == 0);
        free.for_each(|one_more| *one_more = index + 1);
    }

    /// The index of `raw`; [`NONE`] if it has none yet.
    #[inline(always)]
    pub fn find(&self, raw: u64) -> u32 {
        let slot = self.slot(raw);
        // On 32-bit machines the slot must not be truncated.
        match self.direct.get(usize::try_from(slot).unwrap_or(usize::MAX)) {
            Some(&one_more) => one_more.wrapping_sub(1),
            None => self.find_hashed(raw),
        }
    }

    /// A view for loops that only look up ids.
    #[inline(always)]
    pub fn finder(&self) -> Finder<'_, SHIFT> {
        Finder {
            base: self.base,
            direct: &self.direct,
            ids: self,
        }
    }

    /// The position in the direct table; a huge number for an id that is not a multiple of the
    /// step.
    #[inline(always)]
    fn slot(&self, raw: u64) -> u64 {
        raw.wrapping_sub(self.base).rotate_right(SHIFT)
    }

    #[cold]
    fn find_hashed(&self, raw: u64) -> u32 {
        if self.hashed.is_empty() {
            return self.shared;
        }
        self.hashed.get(&raw).copied().unwrap_or(self.shared)
    }

    /// Assigns the next index to `raw`, which has none.
    pub fn insert(&mut self, raw: u64, offset: u64) -> u32 {
        let index = self.known.len() as u32;
        if index == 0 && self.slot(raw) >= DIRECT {
            self.base = (raw >> SHIFT).saturating_sub(DIRECT / 2) << SHIFT;
        }
        self.known.push(Known {
            raw,
            text: 0,
            offset,
        });
        let slot = self.slot(raw);
        if slot < DIRECT {
            self.make_room(slot as usize);
            self.direct[slot as usize] = index + 1;
        } else {
            self.hashed.insert(raw, index);
        }
        index
    }

    fn make_room(&mut self, slot: usize) {
        if slot >= self.direct.len() {
            let mut grown = vec![0; (slot + 1).next_power_of_two().max(1 << 10)];
            grown[..self.direct.len()].copy_from_slice(&self.direct);
            self.direct = grown;
        }
    }

    /// Records that `index` was declared with a text of this hash.
    pub fn declare(&mut self, index: u32, text: u64) -> Declared {
        let known = &mut self.known[index as usize];
        let before = std::mem::replace(&mut known.text, text.max(1));
        match before {
            0 => Declared::First,
            _ if before == text.max(1) => Declared::Again,
            _ => Declared::Anew,
        }
    }

    /// Ids that were never declared: their number, and the first one with its place.
    pub fn undeclared(&self) -> (u64, Option<(u64, u64)>) {
        let mut all = self.known.iter().filter(|known| known.text == 0);
        let first = all.next().map(|known| (known.raw, known.offset));
        (u64::from(first.is_some()) + all.count() as u64, first)
    }
}

/// Looks up ids.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a, const SHIFT: u32> {
    base: u64,
    direct: &'a [u32],
    ids: &'a Ids<SHIFT>,
}

impl<const SHIFT: u32> Finder<'_, SHIFT> {
    /// Like [`Ids::find`].
    #[inline(always)]
    pub fn find(&self, raw: u64) -> u32 {
        let slot = raw.wrapping_sub(self.base).rotate_right(SHIFT);
        match self.direct.get(usize::try_from(slot).unwrap_or(usize::MAX)) {
            Some(&one_more) => one_more.wrapping_sub(1),
            None => self.ids.find_hashed(raw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_huge_ids_get_indices_in_order() {
        let mut ids = Ids::<2>::default();
        let raws = [
            0,
            0xffff_fffc,
            4,
            0x6283_0738,
            5,
            u64::MAX,
            (DIRECT << 2) - 4,
            DIRECT << 2,
        ];
        for (index, raw) in raws.into_iter().enumerate() {
            assert_eq!(ids.find(raw), NONE);
            assert_eq!(ids.insert(raw, 0), index as u32);
        }
        for (index, raw) in raws.into_iter().enumerate() {
            assert_eq!(ids.find(raw), index as u32);
        }
    }

    #[test]
    fn ids_beyond_the_limit_share_an_index() {
        let mut ids = Ids::<2>::default();
        for (index, raw) in [4, 0xffff_fffc, 8].into_iter().enumerate() {
            assert_eq!(ids.insert(raw, 0), index as u32);
        }
        assert!(!ids.is_shared(NONE));
        ids.share(2);
        for raw in [8, 12, 5, 0x8000_0000, (DIRECT << 2) - 4, u64::MAX] {
            assert!(ids.is_shared(ids.find(raw)), "{raw:x}");
        }
        assert_eq!((ids.find(4), ids.find(0xffff_fffc)), (0, 1));
    }

    #[test]
    fn addresses_that_lie_close_need_no_hashing() {
        let mut ids = Ids::<2>::default();
        let raws = [
            0x6283_0738,
            0x6283_0000,
            0x6285_0004,
            4,
            0xffff_fffc,
            0x6283_0739,
        ];
        for (index, raw) in raws.into_iter().enumerate() {
            assert_eq!(ids.find(raw), NONE);
            assert_eq!(ids.insert(raw, 0), index as u32);
        }
        for (index, raw) in raws.into_iter().enumerate() {
            assert_eq!(ids.find(raw), index as u32);
        }
        assert_eq!(ids.hashed.len(), 3);
    }

    #[test]
    fn declarations_are_compared() {
        let mut ids = Ids::<0>::default();
        let index = ids.insert(7, 99);
        assert_eq!(ids.undeclared(), (1, Some((7, 99))));
        assert_eq!(ids.declare(index, 5), Declared::First);
        assert_eq!(ids.declare(index, 5), Declared::Again);
        assert_eq!(ids.declare(index, 6), Declared::Anew);
        assert_eq!(ids.undeclared(), (0, None));
    }
}
