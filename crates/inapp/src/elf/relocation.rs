//! Relocations and their tables.

/// The format of a table of relocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Rel,
    Rela,
    /// Android's packed format, without addends.
    PackedRel,
    /// Android's packed format, with addends.
    PackedRela,
}

/// A table of relocations: `at` is a `d_ptr`, `size` is in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub at: usize,
    pub size: usize,
    pub form: Form,
}

/// One relocation: `r_offset`, `r_info`, `r_addend`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relocation {
    pub offset: usize,
    pub info: usize,
    pub addend: usize,
}

/// The use of a word that is bound to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A slot of the procedure linkage table, bound at the first call in lazy libraries.
    JumpSlot,
    /// An entry of the global offset table: `-fno-plt`, and function pointers.
    GlobDat,
    /// A word of the library's data, such as a function pointer in a table.
    Absolute,
}

/// A word of a library that the linker bound to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import {
    /// Address of the word, which is aligned and inside the library.
    pub slot: usize,
    /// The use of the word.
    pub binding: Binding,
    /// Index in the library's symbol table.
    pub symbol: u32,
}

/// The result of a walk over a library's relocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Number of relocations.
    pub relocations: usize,
    /// Number of truncated tables, and of relocations outside the library.
    pub broken: usize,
}
