//! Reading the ELF structures of a loaded library: its imports, where they are bound, and its definitions.
//!
//! Everything is read through [`Memory`], and nothing is trusted: a table that leads outside the library's segments ends
//! there and is counted as [broken](Walked::broken). Sources: the System V gABI (dynamic section, hash table), the GNU
//! hash table as glibc reads it, and bionic's linker for Android's additions (packed relocations).
//!
//! The code is our own because it runs inside apps. The `object` crate reads files rather than loaded libraries, trusts
//! its input more, and does not support Android's packed relocations.

mod dynamic;
mod image;
mod imports;
mod memory;
mod packed;
mod relocation;
mod symbol;
#[cfg(test)]
mod tests;

pub use image::{Image, Segment};
pub use memory::Memory;
pub(crate) use memory::WORD;
pub use relocation::{Binding, Import, Walked};
pub use symbol::Symbol;
