//! Errors in class files.

use thiserror::Error;

/// Why a class file cannot be read. Places are offsets in the file, or in a method's code if the message says so; bytes.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassError {
    /// The file is truncated.
    #[error("{what} at byte {at} needs {need} bytes, and {left} are left")]
    Truncated {
        /// The structure being read.
        what: &'static str,
        /// Offset of the structure.
        at: usize,
        /// Number of bytes needed.
        need: usize,
        /// Number of bytes left.
        left: usize,
    },
    /// Not a class file.
    #[error("begins with {found:#010x} instead of 0xcafebabe")]
    Magic {
        /// The first four bytes, big endian.
        found: u32,
    },
    /// Extra bytes after a structure with a given length.
    #[error("{what} ends at byte {at}, and {left} bytes follow")]
    Trailing {
        /// The structure.
        what: &'static str,
        /// Offset of its end.
        at: usize,
        /// Number of extra bytes.
        left: usize,
    },
    /// A field with an invalid value.
    #[error("{what} at byte {at} is {value}, which is invalid")]
    Value {
        /// The field.
        what: &'static str,
        /// Offset of the field.
        at: usize,
        /// Its value.
        value: u32,
    },
    /// An index of a missing constant, or of one of the wrong kind.
    #[error("constant {index} is not of kind {expected}")]
    Constant {
        /// The index in the constant pool.
        index: u16,
        /// The required kind.
        expected: &'static str,
    },
    /// An unknown opcode.
    #[error("byte {at} of the code is {opcode:#04x}, which is not an instruction")]
    Opcode {
        /// The offset in the method's code.
        at: u32,
        /// The byte.
        opcode: u8,
    },
    /// An instruction extends past the end of the code.
    #[error("the instruction at byte {at} of the code extends past its end")]
    CodeEnd {
        /// The offset in the method's code.
        at: u32,
    },
    /// A jump, table or frame refers to an offset at which no instruction begins.
    #[error("{what} leads to byte {target} of the code, where no instruction begins")]
    Target {
        /// The kind of reference.
        what: &'static str,
        /// The offset in the method's code.
        target: i64,
    },
    /// An invalid descriptor.
    #[error("constant {index} is not a valid descriptor")]
    Descriptor {
        /// The index of its text in the constant pool.
        index: u16,
    },
    /// There is no room for another constant: an index has 16 bits.
    #[error("the constant pool is full")]
    PoolFull,
}
