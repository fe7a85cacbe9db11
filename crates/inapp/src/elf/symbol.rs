//! Symbols: the imports and definitions of a library.

use super::image::Image;
use super::memory::{MAX_ENTRIES, Memory, WORD};

const SHN_UNDEF: u16 = 0;
#[cfg(target_pointer_width = "64")]
const SIZE: usize = 24;
#[cfg(not(target_pointer_width = "64"))]
const SIZE: usize = 16;

/// An entry of the dynamic symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Offset of its name in the string table.
    name: u32,
    /// Address without the load bias.
    value: usize,
    section: u16,
}

impl Symbol {
    /// Whether the symbol is undefined here, so that another library defines it.
    pub fn is_import(&self) -> bool {
        self.section == SHN_UNDEF
    }
}

impl<M: Memory> Image<M> {
    /// The symbol with an index; `None` if it would be outside the library.
    pub fn symbol(&self, index: u32) -> Option<Symbol> {
        let table = self.located(self.dynamic.symbols);
        let at = table.checked_add(SIZE.checked_mul(index as usize)?)?;
        let entry: [u8; SIZE] = self.bytes(at)?;
        // `st_name` comes first in both classes; the order of the other fields differs.
        let (value, section) = if SIZE == 24 { (8, 6) } else { (4, 14) };
        Some(Symbol {
            name: u32::from_ne_bytes(entry[..4].try_into().ok()?),
            value: usize::from_ne_bytes(entry[value..value + WORD].try_into().ok()?),
            section: u16::from_ne_bytes([entry[section], entry[section + 1]]),
        })
    }

    /// Whether a symbol has this name, of at most 63 bytes.
    pub fn is_named(&self, symbol: Symbol, name: &[u8]) -> bool {
        let begin = symbol.name as usize;
        let fits = begin
            .checked_add(name.len())
            .is_some_and(|end| end < self.dynamic.strings_size);
        fits && self.is_text(self.located(self.dynamic.strings).wrapping_add(begin), name)
    }

    /// Whether `name` is the SONAME of the library.
    pub fn is_called(&self, name: &[u8]) -> bool {
        let strings = self.located(self.dynamic.strings);
        let soname = self.dynamic.soname;
        soname.is_some_and(|begin| self.is_text(strings.wrapping_add(begin), name))
    }

    /// Address of the exported symbol `name`. Found through the GNU hash table, else the older one, else by searching all
    /// symbols up to the string table, which linkers place after them.
    pub fn definition(&self, name: &[u8]) -> Option<usize> {
        let is_it = |index: u32| {
            let symbol = self.symbol(index)?;
            let defined = !symbol.is_import() && symbol.value != 0;
            let found = defined && self.is_named(symbol, name);
            found.then(|| self.bias.wrapping_add(symbol.value))
        };
        let Tables {
            hash,
            gnu_hash,
            symbols,
            strings,
        } = self.tables();
        if gnu_hash != 0 {
            return self.gnu_lookup(gnu_hash, name, is_it);
        }
        if hash != 0 {
            return self.hash_lookup(hash, name, is_it);
        }
        let count = strings.saturating_sub(symbols) / SIZE;
        let indices = 1..u32::try_from(count.min(MAX_ENTRIES)).ok()?;
        indices
            .take_while(|index| self.symbol(*index).is_some())
            .find_map(is_it)
    }

    fn tables(&self) -> Tables {
        let at = |pointer: usize| match pointer {
            0 => 0,
            pointer => self.located(pointer),
        };
        Tables {
            hash: at(self.dynamic.hash),
            gnu_hash: at(self.dynamic.gnu_hash),
            symbols: at(self.dynamic.symbols),
            strings: at(self.dynamic.strings),
        }
    }

    /// The table: four counts, a Bloom filter of words, buckets, and a chain of hashes for each bucket. Bit 0 marks the
    /// last hash of a chain.
    fn gnu_lookup(
        &self,
        table: usize,
        name: &[u8],
        is_it: impl Fn(u32) -> Option<usize>,
    ) -> Option<usize> {
        let count = |nth: usize| self.u32(table.wrapping_add(4 * nth));
        let (buckets, first, bloom) = (count(0)?, count(1)?, count(2)?);
        let hash = gnu_hash(name);
        let bucket = hash.checked_rem(buckets)? as usize;
        let at_buckets = table.wrapping_add(16).wrapping_add(WORD * bloom as usize);
        let chains = at_buckets.wrapping_add(4 * buckets as usize);
        let mut index = self.u32(at_buckets.wrapping_add(4 * bucket))?;
        while index >= first {
            let hash_here = self.u32(chains.wrapping_add(4 * (index - first) as usize))?;
            let found = (hash_here | 1 == hash | 1).then(|| is_it(index)).flatten();
            if found.is_some() || hash_here & 1 == 1 {
                return found;
            }
            index = index.checked_add(1)?;
        }
        None
    }

    /// The table: two counts, buckets, and for each symbol the next one of its bucket.
    fn hash_lookup(
        &self,
        table: usize,
        name: &[u8],
        is_it: impl Fn(u32) -> Option<usize>,
    ) -> Option<usize> {
        let count = |nth: usize| self.u32(table.wrapping_add(4 * nth));
        let (buckets, chains) = (count(0)?, count(1)?);
        let bucket = sysv_hash(name).checked_rem(buckets)? as usize;
        let mut index = count(2 + bucket)?;
        // A damaged chain may be a loop.
        for _ in 0..(chains as usize).min(MAX_ENTRIES) {
            if index == 0 {
                return None;
            }
            if let Some(found) = is_it(index) {
                return Some(found);
            }
            index = count((2 + buckets as usize).wrapping_add(index as usize))?;
        }
        None
    }
}

/// Addresses of the tables that a lookup needs; 0 if missing.
struct Tables {
    hash: usize,
    gnu_hash: usize,
    symbols: usize,
    strings: usize,
}

fn gnu_hash(name: &[u8]) -> u32 {
    let step = |hash: u32, letter: &u8| hash.wrapping_mul(33).wrapping_add(u32::from(*letter));
    name.iter().fold(5381, step)
}

fn sysv_hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, letter| {
        let hash = (hash << 4).wrapping_add(u32::from(*letter));
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}

#[cfg(test)]
mod tests {
    use super::{gnu_hash, sysv_hash};

    #[test]
    fn hashes_are_those_of_the_abi() {
        // Example values from the descriptions of the formats.
        assert_eq!(gnu_hash(b"printf"), 0x156b_2bb8);
        assert_eq!(sysv_hash(b"printf"), 0x077_905a6);
        assert_eq!((gnu_hash(b""), sysv_hash(b"")), (5381, 0));
    }
}
