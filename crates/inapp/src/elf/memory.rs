//! Where the bytes of a library come from.

/// Size of an address in this process, bytes. The loaded libraries have the same class.
pub(crate) const WORD: usize = size_of::<usize>();

/// Maximum number of entries read from a table, several times what the largest libraries have. A damaged table of a few
/// bytes can claim any number of entries.
pub(super) const MAX_ENTRIES: usize = 1 << 22;

/// Memory that contains a library: that of this process, or of a test.
pub trait Memory {
    /// Fills `into` with the bytes at `address`. False if not all of them are readable; `into` is then unspecified.
    fn read(&self, address: usize, into: &mut [u8]) -> bool;
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: usize, into: &mut [u8]) -> bool {
        (**self).read(address, into)
    }
}
