//! Reads what the linker left of a library in memory: its imports, where they are bound, and what it defines.
//!
//! Everything is read through [`Memory`], nothing is believed: a table that leads outside of the
//! library's segments ends there and is counted as [broken](Walked::broken). Sources: the System V gABI
//! (dynamic section, hash table), the GNU hash table as glibc reads it, and bionic's linker for what
//! Android adds (packed relocations).

mod dynamic;
mod image;
mod packed;
mod relocation;
mod symbol;
#[cfg(test)]
mod tests;

pub use image::{Image, Segment};
pub use relocation::{Binding, Import, Walked};
pub use symbol::Symbol;

/// Bytes in an address of this process; the libraries in it are of the same class.
pub(crate) const WORD: usize = size_of::<usize>();

/// Entries of a table that are looked at where the table could claim any number of them in a few bytes: several
/// times what the largest libraries have.
const MOST_ENTRIES: usize = 1 << 22;

/// Where the bytes of a library are read from: this process's memory, or a test's.
pub trait Memory {
    /// Fills `into` from `address`; false, with `into` in any state, where not all of it is readable.
    fn read(&self, address: usize, into: &mut [u8]) -> bool;
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: usize, into: &mut [u8]) -> bool {
        (**self).read(address, into)
    }
}
