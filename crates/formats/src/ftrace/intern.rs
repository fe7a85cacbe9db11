//! Interns the tasks and texts that the lines of a batch repeat.

/// A small hash table that maps items to their position in a list. An entry is the position plus
/// one; 0 means empty.
#[derive(Clone, Debug)]
pub(super) struct InternTable(Box<[u16; SLOTS]>);

/// Several times the number of distinct items in a typical batch.
const SLOTS: usize = 512;

/// The number of slots that are probed. An item found in none of them is added to the list again.
const PROBES: usize = 4;

impl Default for InternTable {
    fn default() -> Self {
        Self(Box::new([0; SLOTS]))
    }
}

impl InternTable {
    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The position of an item in its list, or the slot to [`add`](Self::add) it to.
    #[inline(always)]
    pub fn find<T>(&self, hash: u32, list: &[T], is_it: impl Fn(&T) -> bool) -> Result<u32, usize> {
        let first = hash as usize % SLOTS;
        for slot in (first..first + PROBES).map(|slot| slot % SLOTS) {
            match usize::from(self.0[slot]).checked_sub(1) {
                None => return Err(slot),
                Some(at) if list.get(at).is_some_and(&is_it) => return Ok(at as u32),
                Some(_) => {}
            }
        }
        Err(first)
    }

    /// The position of an item, which is added to the list if it is missing.
    #[inline(always)]
    pub fn intern<T>(
        &mut self,
        hash: u32,
        list: &mut Vec<T>,
        is_it: impl Fn(&T) -> bool,
        thing: T,
    ) -> u32 {
        match self.find(hash, list, is_it) {
            Ok(at) => at,
            Err(slot) => self.add(slot, list, thing),
        }
    }

    /// Adds an item to its list and, if its position fits, to the slot. Returns its position.
    #[inline(always)]
    pub fn add<T>(&mut self, slot: usize, list: &mut Vec<T>, thing: T) -> u32 {
        list.push(thing);
        self.0[slot] = u16::try_from(list.len()).unwrap_or(0);
        (list.len() - 1) as u32
    }
}
