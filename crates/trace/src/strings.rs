//! The string pool: every distinct string of a trace, once.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::ids::StringId;

/// Interned strings in one byte arena.
///
/// ```
/// let mut pool = traceloom_trace::StringPool::default();
/// let id = pool.intern("main");
/// assert_eq!(pool.intern_bytes(b"main"), id);
/// assert_eq!(pool.get(id), "main");
/// assert_eq!(pool.intern(""), traceloom_trace::StringId::EMPTY);
/// ```
#[derive(Clone, Debug)]
pub struct StringPool {
    arena: String,
    /// The end of string `n` in the arena; it starts where `n - 1` ends.
    ends: Vec<u64>,
    /// Rows, each with some bits of its hash, so that growing reads no strings.
    by_content: HashTable<(u32, u32)>,
    replaced: u64,
}

impl Default for StringPool {
    fn default() -> Self {
        let mut pool = Self {
            arena: String::new(),
            // `StringId::NULL` is not in the table, so that no text is mistaken for it.
            ends: vec![0],
            by_content: HashTable::new(),
            replaced: 0,
        };
        pool.insert(hash(b""), "");
        pool
    }
}

impl StringPool {
    /// The id of `text`, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash(text.as_bytes());
        match self.find(hash, text.as_bytes()) {
            Some(id) => id,
            None => self.insert(hash, text),
        }
    }

    /// Like [`intern`](Self::intern), for bytes from a file. Bytes that are not UTF-8 become
    /// U+FFFD, and [`replaced`](Self::replaced) counts the affected strings.
    #[inline]
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> StringId {
        match self.find(hash(bytes), bytes) {
            Some(id) => id,
            None => self.intern_new(bytes),
        }
    }

    #[cold]
    fn intern_new(&mut self, bytes: &[u8]) -> StringId {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.insert(hash(bytes), text),
            Err(_) => {
                self.replaced += 1;
                self.intern(&String::from_utf8_lossy(bytes))
            }
        }
    }

    /// The id of `text`; [`StringId::NULL`] if it is empty. For formats that write an empty text for an absent one.
    pub fn intern_unless_empty(&mut self, text: &str) -> StringId {
        match text {
            "" => StringId::NULL,
            text => self.intern(text),
        }
    }

    /// The id of `text` if it is in the pool.
    pub fn lookup(&self, text: &str) -> Option<StringId> {
        self.find(hash(text.as_bytes()), text.as_bytes())
    }

    /// The text of `id`; empty for no string, and if the id is not from this pool.
    #[inline]
    pub fn get(&self, id: StringId) -> &str {
        let (start, end) = self.range(id.0);
        self.arena.get(start..end).unwrap_or_default()
    }

    /// Whether `id` is the string with these bytes. Faster than comparing the result of [`get`](Self::get).
    #[inline]
    pub fn is(&self, id: StringId, bytes: &[u8]) -> bool {
        let (start, end) = self.range(id.0);
        let known = self.arena.as_bytes().get(start..end);
        known.is_some_and(|known| is_same(known, bytes))
    }

    /// The range of a string in the arena; empty for an unknown one.
    #[inline]
    fn range(&self, row: u32) -> (usize, usize) {
        let row = row as usize;
        let end = self.ends.get(row).copied().unwrap_or(0);
        let before = row.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or(0).min(end);
        (start as usize, end as usize)
    }

    /// The number of ids. All are smaller than this.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of distinct strings, including the empty one.
    pub fn texts(&self) -> usize {
        self.len() - 1
    }

    /// Whether the pool has only the empty string.
    pub fn is_empty(&self) -> bool {
        self.texts() <= 1
    }

    /// How often bytes that were not UTF-8 were replaced.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// All ids with their strings, in the order in which they were added. The first id is [`StringId::NULL`].
    pub fn iter(&self) -> impl Iterator<Item = (StringId, &str)> {
        (0..self.len() as u32).map(|row| (StringId(row), self.get(StringId(row))))
    }

    /// Memory used, bytes.
    pub fn heap_bytes(&self) -> usize {
        self.arena.capacity() + self.ends.capacity() * 8 + self.by_content.capacity() * 9
    }

    #[inline]
    fn find(&self, hash: u64, bytes: &[u8]) -> Option<StringId> {
        let bits = kept_bits(hash);
        self.by_content
            .find(spread(bits), |&(row, kept)| {
                kept == bits && self.is(StringId(row), bytes)
            })
            .map(|&(row, _)| StringId(row))
    }

    fn insert(&mut self, hash_of_text: u64, text: &str) -> StringId {
        let row = self.ends.len() as u32;
        self.arena.push_str(text);
        self.ends.push(self.arena.len() as u64);
        let bits = kept_bits(hash_of_text);
        self.by_content
            .insert_unique(spread(bits), (row, bits), |&(_, bits)| spread(bits));
        StringId(row)
    }
}

/// Whether two texts are equal. It avoids a call for short texts, which are the usual case.
#[inline(always)]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        4..8 => ends::<4>(a) == ends::<4>(b),
        8..=16 => ends::<8>(a) == ends::<8>(b),
        _ => a == b,
    }
}

/// The first and the last bytes, which may overlap.
#[inline(always)]
fn ends<const N: usize>(text: &[u8]) -> (Option<&[u8; N]>, Option<&[u8; N]>) {
    (text.first_chunk(), text.last_chunk())
}

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// The part of a hash that the table stores. The best bits of this hasher are the lowest.
#[inline]
fn kept_bits(hash: u64) -> u32 {
    hash as u32
}

/// The hash for the table. The table takes the slot from the low bits and a tag from the highest
/// bits, and both should depend on all stored bits.
#[inline]
fn spread(bits: u32) -> u64 {
    u64::from(bits).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_kept_once_and_survive_growth() {
        let mut pool = StringPool::default();
        let ids: Vec<_> = (0..5000)
            .map(|n| pool.intern(&format!("name {n}")))
            .collect();
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(pool.get(*id), format!("name {n}"));
            assert_eq!(pool.intern(&format!("name {n}")), *id);
        }
        assert_eq!((pool.len(), pool.texts()), (5002, 5001));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_and_counted() {
        let mut pool = StringPool::default();
        let id = pool.intern_bytes(b"caf\xe9");
        assert_eq!(pool.get(id), "caf\u{fffd}");
        assert_eq!(pool.intern_bytes(b"caf\xe9"), id);
        assert_eq!(pool.replaced(), 2);
    }
}
