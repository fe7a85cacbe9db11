//! Texts that tell of a thread, found again by their bytes: they are read once a piece.

use super::eight::is_same;
use super::typed::Told;

/// Numbers in a list by a hash; 0 where there is none.
#[derive(Clone, Debug)]
pub(super) struct Slots(Box<[u16; SLOTS]>);

/// Several times what a piece has of each kind of thing.
const SLOTS: usize = 512;

/// How many slots a thing may stand in. What is in none of them is put into the list once more.
const PROBES: usize = 4;

impl Default for Slots {
    fn default() -> Self {
        Self(Box::new([0; SLOTS]))
    }
}

impl Slots {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The number of a thing in its list, or else the slot for it.
    #[inline(always)]
    pub fn find<T>(&self, hash: u32, list: &[T], is_it: impl Fn(&T) -> bool) -> Result<u32, usize> {
        let first = hash as usize % SLOTS;
        for slot in (first..first + PROBES).map(|slot| slot % SLOTS) {
            match usize::from(self.0[slot]).checked_sub(1) {
                None => return Err(slot),
                Some(number) if list.get(number).is_some_and(&is_it) => return Ok(number as u32),
                Some(_) => {}
            }
        }
        Err(first)
    }

    /// The number of a thing, which is put into its list if it is not there.
    #[inline(always)]
    pub fn number<T>(
        &mut self,
        hash: u32,
        list: &mut Vec<T>,
        is_it: impl Fn(&T) -> bool,
        thing: T,
    ) -> u32 {
        match self.find(hash, list, is_it) {
            Ok(number) => number,
            Err(slot) => self.put(slot, list, thing),
        }
    }

    /// Puts a thing into its list and, as long as numbers are short, into the slot. Gives its number.
    #[inline(always)]
    pub fn put<T>(&mut self, slot: usize, list: &mut Vec<T>, thing: T) -> u32 {
        list.push(thing);
        self.0[slot] = u16::try_from(list.len()).unwrap_or(0);
        (list.len() - 1) as u32
    }
}

/// Where a text stands that tells of a thread. The same bytes say the same only at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Before a line's `[`: name, thread and process.
    Front,
    /// Behind `prev_comm=` of a switch.
    Prev,
    /// Behind `next_comm=` of a switch.
    Next,
    /// Behind `comm=` of a wake-up.
    Woken,
}

impl Place {
    /// Whether a text may end before this byte: it is no other digit of its last number, or the bracket.
    #[inline(always)]
    fn ends_before(self, byte: Option<&u8>) -> bool {
        match self {
            Self::Front => byte == Some(&b'['),
            _ => !byte.is_some_and(u8::is_ascii_digit),
        }
    }
}

/// A text, and what it tells.
#[derive(Clone, Copy, Debug)]
struct Seen<'a> {
    text: &'a [u8],
    place: Place,
    task: u32,
    prio: i32,
}

/// The texts of a piece so far.
#[derive(Debug, Default)]
pub(super) struct Known<'a> {
    slots: Slots,
    list: Vec<Seen<'a>>,
}

/// What is looked at to find a text: its first bytes.
pub(super) const HEAD: usize = 24;

impl<'a> Known<'a> {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.list.clear();
    }

    /// What is told where `text` begins; or the slot for it.
    #[inline(always)]
    pub fn find(&self, place: Place, text: &[u8], head: &[u8; HEAD]) -> Result<Told<u32>, usize> {
        let is_it = |seen: &Seen<'_>| {
            let there = text.split_at_checked(seen.text.len());
            let is_there = |(there, rest): (&[u8], &[u8])| {
                is_same(there, seen.text) && place.ends_before(rest.first())
            };
            seen.place == place && there.is_some_and(is_there)
        };
        let number = self.slots.find(hash(head), &self.list, is_it)?;
        let Seen {
            text, task, prio, ..
        } = self.list[number as usize];
        let end = text.len();
        Ok(Told { task, prio, end })
    }

    /// Remembers what a text tells that a find did not find. It is all up to the byte that ends it.
    pub fn put(&mut self, slot: usize, place: Place, text: &'a [u8], told: Told<u32>) {
        let Told { task, prio, .. } = told;
        let seen = Seen {
            text,
            place,
            task,
            prio,
        };
        self.slots.put(slot, &mut self.list, seen);
    }
}

#[inline(always)]
fn hash(head: &[u8; HEAD]) -> u32 {
    let mut all = 0_u64;
    for eight in head.as_chunks::<8>().0 {
        all = (all.rotate_left(7) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (all >> 32) as u32
}
